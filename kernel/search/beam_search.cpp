#include "beam_search.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <string>

#include "colored_board.hpp"
#include "dispatch.hpp"
#include "error.hpp"
#include "evaluation_isa.hpp"
#include "movegen.hpp"
#include "spawn.hpp"
#include "top_candidates.hpp"

namespace sevenbag {

namespace {

constexpr std::uint8_t kNoPiece = kPieces;

// Score of a lost game in averages, and mark of a losing move.
constexpr int kLostGameScore = -100000;
constexpr int kLosingMove = -0x7fffffff;

// Maximum lines of an attack that count: more are always lethal, and sums still fit.
constexpr int kMaxScoredAttack = 100000;

// A position within the search.
struct Node {
    Board board;
    Counters counters;
    std::int32_t reward;  // attack so far
    int pending;
    std::uint16_t root;  // the move it began with
    std::uint8_t hold;   // or kNoPiece
    std::uint8_t next;   // place of the current piece in the queue
    bool cleared;        // the last lock cleared rows
};

// Effect of a lock on the rules' state, besides the board.
struct LockEffect {
    Counters counters;
    std::int32_t reward = 0;
    int pending = 0;
    std::int32_t standing = 0;  // worth of the counters it leaves
};

// Queue and hold after a move.
struct QueueState {
    std::uint8_t hold;
    std::uint8_t next;
};

// A candidate's move: parent's rank in its layer, then the placement, as one number.
constexpr std::uint32_t pack(std::uint32_t parent, bool hold, const Placement& p) {
    return parent << 15 | static_cast<std::uint32_t>(hold) << 14 |
           static_cast<std::uint32_t>(p.rotation) << 12 | static_cast<std::uint32_t>(p.spin) << 10 |
           static_cast<std::uint32_t>(p.x) << 6 | static_cast<std::uint32_t>(p.y);
}

constexpr Placement unpack(std::uint32_t move, Piece piece) {
    return {piece, static_cast<Rotation>(move >> 12 & 3), static_cast<std::int8_t>(move >> 6 & 15),
            static_cast<std::int8_t>(move & 63), static_cast<Spin>(move >> 10 & 3)};
}

// Better scores are larger; of equal scores, the move that is named by the smaller number.
constexpr std::uint64_t key_of(std::int32_t score, std::uint32_t move) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(score) ^ 0x80000000u) << 32 |
           static_cast<std::uint32_t>(~move);
}

constexpr std::uint32_t move_of(std::uint64_t key) { return ~static_cast<std::uint32_t>(key); }

// The board that moving pieces collide with; the board itself if all of its rows are solid.
struct CollisionBoard {
    CollisionBoard(const Rules& rules, const Board& all)
        : part(rules.all_solid() ? std::nullopt : std::optional(solid_part(rules, all))),
          board(part ? *part : all) {}
    CollisionBoard(const CollisionBoard&) = delete;
    CollisionBoard& operator=(const CollisionBoard&) = delete;

    std::optional<Board> part;
    const Board& board;
};

}  // namespace

// Reused between runs, because it is large.
struct BeamSearch::Memory {
    std::vector<Node> layer;
    std::vector<Node> next_layer;
    TopCandidates candidates;
    std::vector<RankedMove> roots;
    PlacementList placements;
    EvaluatedBoard children[kMaxPlacements];
};

class BeamSearch::Run {
  public:
    Run(const Rules& rules, const Weights& weights, Memory& memory, const SearchPosition& position,
        const SearchLimits& limits)
        : rules_(rules),
          weights_(weights),
          memory_(memory),
          position_(position),
          limits_(limits),
          queue_size_(std::min<int>(static_cast<int>(position.queue.size()), kMaxSearchQueue)),
          hot_(position.board.width() == 10 && position.board.word_count() <= 7),
          evaluate_placements_(dispatch_table().evaluate_placements) {}

    SearchResult run() {
        memory_.roots.clear();
        memory_.layer.clear();
        memory_.layer.push_back(
            {position_.board, position_.counters, 0, position_.pending, 0,
             position_.hold ? static_cast<std::uint8_t>(*position_.hold) : kNoPiece, 0, true});
        // A piece moved to an empty hold slot is one fewer to place.
        const bool slot_free = rules_.hold && !position_.hold;
        known_ = std::max(1, queue_size_ - slot_free);
        // The piece after the known ones is averaged, if it is unknown.
        depth_ = position_.queue.size() > kMaxSearchQueue ? known_ : known_ + 1;
        for (ply_ = 0; ply_ < depth_ && !memory_.layer.empty(); ++ply_) {
            expand_layer();
            if (stopped_) break;
            if (ply_ + 1 < depth_) make_next_layer();
        }
        return result();
    }

  private:
    // --- the budget ---

    // 0 to 1, and beyond.
    double spent() const {
        double part = 0;
        if (limits_.nodes > 0)
            part = static_cast<double>(nodes_) / static_cast<double>(limits_.nodes);
        if (limits_.spent) part = std::max(part, limits_.spent(limits_.context));
        return part;
    }

    // Limit a number of boards to the remaining nodes. All boards of the first piece are evaluated,
    // so that every legal move is ranked.
    int within_limit(int boards) {
        if (limits_.nodes == 0 || ply_ == 0) return boards;
        const std::int64_t left = std::max<std::int64_t>(limits_.nodes - nodes_, 0);
        if (boards <= left) return boards;
        cut_ = true;
        return static_cast<int>(left);
    }

    bool told_to_stop() const {
        return limits_.stop && limits_.stop->load(std::memory_order_relaxed);
    }

    // --- layers ---

    void expand_layer() {
        const int layers_left = depth_ - ply_;
        const double begun = spent();
        const double end = begun + (1 - begun) / layers_left;
        memory_.candidates.begin(candidate_limit());
        std::uint32_t expanded = 0;
        for (const Node& node : memory_.layer) {
            // The first piece is always searched, so that there is a result.
            if (ply_ > 0) {
                const double now = spent();
                stopped_ = now >= 1 || told_to_stop();
                if (stopped_) return;
                if (expanded > 0 && now >= end) break;
            }
            if (ply_ < known_)
                expand(node, expanded);
            else
                evaluate_unknown_piece(node);
            ++expanded;
        }
        if (layers_left > 1 && expanded > 0) {
            // The next layer's share, in boards.
            const double cost = (spent() - begun) / expanded;
            const double share = (1 - spent()) / (layers_left - 1);
            expected_ = cost > 0 ? share / cost : kMaxSearchWidth;
        }
    }

    // Number of boards that the next layer can use, with a margin for estimation errors.
    std::size_t candidate_limit() const {
        const double guess = ply_ == 0 ? kMaxSearchWidth : 2 * expected_ + 64;
        return static_cast<std::size_t>(std::min(
            {guess, static_cast<double>(limits_.width), static_cast<double>(kMaxSearchWidth)}));
    }

    void make_next_layer() {
        memory_.next_layer.clear();
        for (const Candidate& candidate : memory_.candidates.finish())
            memory_.next_layer.push_back(child_of(move_of(candidate.key)));
        std::swap(memory_.layer, memory_.next_layer);
    }

    // --- one board ---

    void expand(const Node& node, std::uint32_t rank) {
        if (node.next >= queue_size_) return;
        const Piece current = position_.queue[node.next];
        expand_with(node, rank, current, false);
        const std::optional<Piece> offered = offered_by_hold(node);
        if (offered && *offered != current) expand_with(node, rank, *offered, true);
    }

    void expand_with(const Node& node, std::uint32_t rank, Piece piece, bool hold) {
        const QueueState slots = slots_after(node, hold);
        place(node, piece, slots,
              [&](const Placement& placement, const EvaluatedBoard& child, int score) {
                  if (ply_ == 0) memory_.roots.push_back({placement, hold, 0, 0});
                  if (score == kLosingMove) return;
                  update_root(ply_ == 0 ? memory_.roots.back() : memory_.roots[node.root], score);
                  // Boards with different remaining pieces are different.
                  const std::uint64_t rest = slots.hold * 16u + slots.next + 1u;
                  if (ply_ + 1 < depth_)
                      memory_.candidates.offer({key_of(score, pack(rank, hold, placement)),
                                                child.hash ^ rest * 0x9e3779b97f4a7c15u});
              });
    }

    // A line of this score begins with that move.
    void update_root(RankedMove& root, int score) const {
        if (ply_ + 1 <= root.depth && score <= root.score) return;
        root.depth = ply_ + 1;
        root.score = score;
    }

    // Mean over the possible next pieces of the best score with each.
    void evaluate_unknown_piece(const Node& node) {
        const bool holds = rules_.hold && node.hold != kNoPiece;
        const int with_held =
            holds ? best(node, static_cast<Piece>(node.hold), kNoPiece) : kLosingMove;
        if (node.next < queue_size_) {
            const int score = best(node, position_.queue[node.next], node.hold);
            if (std::max(score, with_held) != kLosingMove && !cut_)
                update_root(memory_.roots[node.root], std::max(score, with_held));
            return;
        }
        const bool bag_known = position_.bag != PieceCounts{};
        std::int64_t sum = 0;
        int count = 0;
        for (int p = 0; p < kPieces; ++p) {
            const int copies = bag_known ? position_.bag[p] : 1;
            if (copies == 0) continue;
            sum += std::int64_t{copies} * std::max({best(node, static_cast<Piece>(p), node.hold),
                                                    with_held, kLostGameScore});
            count += copies;
        }
        // The mean is only valid if the boards of all pieces were evaluated.
        if (!cut_) update_root(memory_.roots[node.root], static_cast<int>(sum / count));
    }

    int best(const Node& node, Piece piece, std::uint8_t hold_after) {
        int most = kLosingMove;
        place(node, piece, {hold_after, static_cast<std::uint8_t>(queue_size_)},
              [&](const Placement&, const EvaluatedBoard&, int score) {
                  most = std::max(most, score);
              });
        return most;
    }

    std::optional<Piece> offered_by_hold(const Node& node) const {
        if (!rules_.hold) return std::nullopt;
        if (node.hold != kNoPiece) return static_cast<Piece>(node.hold);
        if (node.next + 1 < queue_size_) return position_.queue[node.next + 1];
        return std::nullopt;
    }

    // Places a piece everywhere; visit(placement, child, score), kLosingMove for a move that loses.
    template <class Visit>
    void place(const Node& node, Piece piece, QueueState slots, Visit&& visit) {
        const CollisionBoard solid(rules_, node.board);
        const std::optional<Spawn> spawn =
            spawn_of(rules_, node.board, solid.board, piece, node.cleared);
        if (!spawn) return;
        const PlacementList& list = memory_.placements;
        generate_placements(solid.board, piece, rules_.kicks, *spawn, rules_.spins,
                            memory_.placements);
        const int size = within_limit(list.size());
        if (hot_)
            evaluate_placements_({node.board.words(), node.board.height(), node.board.rows(),
                                  list.begin(), size, &weights_.of},
                                 memory_.children);
        else
            evaluate_placements_generic(node.board, list.begin(), size, weights_.of,
                                        memory_.children);
        nodes_ += size;

        const LockEffect plain = lock_effect(node, {piece, Spin::none, 0, 0, false});
        for (int i = 0; i < size; ++i) {
            const EvaluatedBoard& child = memory_.children[i];
            const LineClear clear{piece, list[i].spin, child.lines, 0,
                                  child.lines > 0 && child.height == 0};
            const int score = loses(node, slots, list[i], child)
                                  ? kLosingMove
                                  : score_of(node, slots, child,
                                             child.lines == 0 ? plain : lock_effect(node, clear));
            visit(list[i], child, score);
        }
    }

    QueueState slots_after(const Node& node, bool hold) const {
        if (!hold) return {node.hold, static_cast<std::uint8_t>(node.next + 1)};
        const auto put_away = static_cast<std::uint8_t>(position_.queue[node.next]);
        const int taken = node.hold == kNoPiece ? 2 : 1;
        return {put_away, static_cast<std::uint8_t>(node.next + taken)};
    }

    LockEffect lock_effect(const Node& node, const LineClear& clear) {
        LockEffect c;
        c.counters = node.counters;
        const int attack =
            std::min(compute_attack(rules_, clear, c.counters, 1, random_).attacks.total(),
                     kMaxScoredAttack);
        c.pending = rules_.cancels() ? std::max(node.pending - attack, 0) : node.pending;
        c.reward = attack * (weights_.attack + weights_.earlier_attack * (known_ - ply_)) +
                   clear.lines * weights_.cleared_row;
        if (clear.piece == Piece::T && (clear.lines == 0 || clear.spin == Spin::none))
            c.reward += weights_.wasted_t;
        if (node.counters.back_to_back > 0 && c.counters.back_to_back == 0)
            c.reward += weights_.broken_back_to_back;
        c.standing = (c.counters.back_to_back > 0 ? weights_.in_back_to_back : 0) +
                     c.counters.combo * weights_.in_combo;
        return c;
    }

    int score_of(const Node& node, const QueueState& slots, const EvaluatedBoard& child,
                 const LockEffect& c) const {
        const int height = child.height + c.pending;
        int score = node.reward + c.reward + c.standing + child.score;
        if (height > 4) {
            score += (height - 4) * weights_.above_4 + std::max(height - 7, 0) * weights_.above_7 +
                     std::max(height - 11, 0) * weights_.above_11 +
                     std::max(height - 15, 0) * weights_.above_15;
        }
        if (slots.hold == static_cast<std::uint8_t>(Piece::T))
            score += weights_.held_t + child.t_rows * weights_.held_t_row;
        if (slots.hold == static_cast<std::uint8_t>(Piece::I)) score += weights_.held_i;
        if (!child.holes && position_.board.width() == 10)
            score +=
                std::max(10 - pieces_to_clear(child.height, child.cells), 0) * weights_.near_clear;
        return score;
    }

    // Return whether the game is lost after the move, as far as known.
    bool loses(const Node& node, const QueueState& slots, const Placement& placement,
               const EvaluatedBoard& child) const {
        if (is_lock_out(rules_, placement)) return true;
        if (child.height <= rules_.spawn.y || slots.next >= queue_size_) return false;
        Board board = node.board;
        board.fill(placement);
        board.clear_rows();
        const CollisionBoard solid(rules_, board);
        return !spawn_of(rules_, board, solid.board, position_.queue[slots.next], child.lines > 0);
    }

    // The position that a move leads to.
    Node child_of(std::uint32_t move) {
        const Node& node = memory_.layer[move >> 15];
        const bool hold = (move >> 14 & 1) != 0;
        const Piece piece = hold ? *offered_by_hold(node) : position_.queue[node.next];
        const Placement placement = unpack(move, piece);
        Node child = node;
        child.board.fill(placement);
        const int lines = std::popcount(child.board.clear_rows());
        const LockEffect c =
            lock_effect(node, {piece, placement.spin, lines, 0, lines > 0 && child.board.empty()});
        const QueueState slots = slots_after(node, hold);
        child.counters = c.counters;
        child.reward += c.reward;
        child.pending = c.pending;
        child.hold = slots.hold;
        child.next = slots.next;
        child.cleared = lines > 0;
        if (ply_ == 0) child.root = root_of(placement, hold);
        return child;
    }

    std::uint16_t root_of(const Placement& placement, bool hold) const {
        std::uint16_t i = 0;
        while (memory_.roots[i].placement != placement || memory_.roots[i].hold != hold) ++i;
        return i;
    }

    SearchResult result() const {
        SearchResult result;
        result.nodes = nodes_;
        result.moves = memory_.roots;
        std::stable_sort(result.moves.begin(), result.moves.end(),
                         [](const RankedMove& a, const RankedMove& b) {
                             return a.depth != b.depth ? a.depth > b.depth : a.score > b.score;
                         });
        if (!result.moves.empty()) result.depth = result.moves.front().depth;
        return result;
    }

    const Rules& rules_;
    const Weights& weights_;
    Memory& memory_;
    const SearchPosition& position_;
    const SearchLimits& limits_;
    int queue_size_;
    bool hot_;
    decltype(DispatchTable::evaluate_placements) evaluate_placements_;
    MinstdRandom random_{1};  // never drawn from: attacks are rounded down here
    int known_ = 0;           // pieces that can be placed for certain
    int depth_ = 0;
    int ply_ = 0;
    std::int64_t nodes_ = 0;
    double expected_ = 0;  // boards that the next layer has a budget for
    bool stopped_ = false;
    bool cut_ = false;  // boards were skipped because of the node limit
};

BeamSearch::BeamSearch(const Rules& rules, const Weights& weights)
    : rules_(rules), weights_(weights), memory_(std::make_unique<Memory>()) {
    // The search must not depend on random draws.
    rules_.rounding = RoundingMode::down;
}

BeamSearch::~BeamSearch() = default;

SearchResult BeamSearch::run(const SearchPosition& position, const SearchLimits& limits) {
    if (position.board.width() != rules_.width || position.board.rows() != rules_.rows)
        throw_invalid(
            ErrorKind::board, "board",
            std::to_string(rules_.width) + " x " + std::to_string(rules_.rows) +
                " cells, as in the rules",
            std::to_string(position.board.width()) + " x " + std::to_string(position.board.rows()));
    if (position.queue.empty())
        throw_invalid(ErrorKind::queue, "queue", "at least one piece", "none");
    check_range("combo", position.counters.combo, 0, kMaxSearchCounter);
    check_range("back_to_back", position.counters.back_to_back, 0, kMaxSearchCounter);
    check_range("pending", position.pending, 0, kMaxSearchCounter);
    check_range("nodes", limits.nodes, 0, std::int64_t{1} << 53);
    check_range("width", limits.width, 1, kMaxSearchWidth);
    return Run(rules_, weights_, *memory_, position, limits).run();
}

}  // namespace sevenbag
