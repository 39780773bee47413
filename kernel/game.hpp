// One player's game: board, queue, hold, counters, garbage, statistics. Moves are placements, time
// is told by the caller in frames of 1/60 s.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "attack.hpp"
#include "bag.hpp"
#include "board.hpp"
#include "field.hpp"
#include "garbage.hpp"
#include "grid.hpp"
#include "movegen.hpp"
#include "piece.hpp"
#include "rules.hpp"

namespace sevenbag {

enum class TopOut : std::uint8_t {
    none,
    block_out,    // the next piece could not appear
    lock_out,     // a piece locked above the visible rows
    garbage_out,  // garbage pushed a filled cell over the top of the board
};

inline constexpr int kMostAttackers = 1000;

// Clears are counted by lines up to these; a clear of more counts here, too.
inline constexpr int kCountedLines = 5;

// What happened when a piece locked.
struct Lock {
    Placement placement{};   // with the spin as the kernel judged it
    bool held = false;       // the piece came out of the hold slot
    std::uint64_t rows = 0;  // bit y: row y was cleared (before anything moved)
    Clear clear;
    AttackList attacks;  // before cancelling
    int released = 0;    // lines of a broken charge among them
    int cancelled = 0;
    AttackList sent;
    std::vector<Holed> garbage;    // the rows that entered, in order
    Counters counters;             // after the lock
    std::array<Piece, 2> dealt{};  // pieces that came into sight at the queue's end
    int dealt_count = 0;
    TopOut top_out = TopOut::none;
    int frame = 0;
};

struct Stats {
    int pieces = 0;
    int holds = 0;
    int lines = 0;
    std::int64_t attack = 0;     // before cancelling
    std::int64_t cancelled = 0;  // own pending garbage removed by attack
    std::int64_t sent = 0;       // attack left after cancelling
    std::int64_t received = 0;   // lines announced by the other side
    int garbage_entered = 0;     // rows of garbage that came onto the board
    int garbage_cleared = 0;     // cleared rows that held garbage
    int spins = 0;               // locks with a spin, with or without lines
    int perfect_clears = 0;
    int max_combo = 0;
    int max_back_to_back = 0;
    std::array<std::array<int, kCountedLines + 1>, 3> clears{};  // by spin and lines

    friend bool operator==(const Stats&, const Stats&) = default;
};

class Game {
  public:
    // `seed` decides the pieces, `garbage_seed` the holes. Raises Error(rules).
    Game(std::shared_ptr<const Rules> rules, std::int64_t seed, std::int64_t garbage_seed);

    // Begin elsewhere than on an empty board. Raises Error(board) if the size is not the rules',
    // and Error(rules) for impossible counters.
    void start_from(const Board& board, const Counters& counters);

    const Rules& rules() const { return *rules_; }
    const std::shared_ptr<const Rules>& shared_rules() const { return rules_; }
    const Board& board() const { return field_.board; }
    const Grid& grid() const { return field_.grid; }
    // What a moving piece collides with: the board, where all of its rows are solid.
    const Board& solid() const { return rules_->all_solid() ? field_.board : solid_; }
    const Counters& counters() const { return counters_; }
    const GarbageQueue& garbage() const { return garbage_; }
    const Stats& stats() const { return stats_; }
    const Lock& last_lock() const { return lock_; }
    int frame() const { return frame_; }
    TopOut top_out() const { return top_out_; }
    bool over() const { return top_out_ != TopOut::none; }

    Piece current() const { return current_; }
    std::optional<Piece> held() const { return held_; }
    // The i-th preview, below Rules::previews.
    Piece preview(int i) const { return queue_.peek(i); }
    // What the hold key would bring: the held piece, or the first preview. None without hold, and
    // where it would be a piece that is out of sight.
    std::optional<Piece> offered_by_hold() const;
    // The bag that the first piece out of sight comes from; none where bags are unknown.
    std::optional<PieceCounts> bag() const;

    // Where a piece would appear now; none if it cannot.
    std::optional<Spawn> spawn_of(Piece piece) const;

    // Every placement of the current piece, then of the one that hold offers if it is another.
    void placements(bool with_hold, std::vector<Placement>& out) const;

    // What a bag holds when it is full; none where bags are unknown.
    std::optional<PieceCounts> filled_bag() const;

    // Every placement of one of these two; `holds` says whether it comes by hold.
    void list_moves(Piece piece, bool holds, PlacementList& out) const;

    // An attack by the other side set out at `frame`; what enters at once is added to the last
    // lock. Raises Error(rules) for impossible numbers.
    void receive(int lines, int frame);

    // How many players attack this one, from now on.
    void set_attackers(int attackers);

    // A move as the rules see it.
    struct Move {
        Placement placement;  // with the spin as the kernel judges it
        bool hold;
    };

    // Finds the move that is meant: whether it holds (unless told, by its piece) and how it spins
    // (a claimed spin only chooses between two ways to the same cells). Raises Error(placement).
    Move judge(const Placement& placement, std::optional<bool> hold = std::nullopt) const;

    // Plays a move that `judge` returned or `placements` listed, at `frame` or, if time has passed
    // it already, now. The result is valid until the next move.
    const Lock& play(const Move& move, int frame);

    // Raises Error(rules) where a frame lies beyond a day.
    static void check_frame(int frame);

  private:
    // A value of the rules that grows with time.
    struct Grown {
        double value;
        void advance(const Growth& growth, int from, int to);
    };

    void advance_time(int frame);
    // Verdicts that the current piece may leave to the one that hold brings.
    Carried carried_by_hold(Piece next) const;
    void take_from_queue();
    void take_piece(const Move& move);
    void clear_and_send();
    void let_garbage_in();
    void push(const std::vector<Holed>& rows);
    void settle();
    void next_piece();
    void count_lock();

    std::shared_ptr<const Rules> rules_;
    Field field_;
    Board solid_;          // kept only where it differs from the board
    mutable Queue queue_;  // deals as far as it is looked into
    GarbageQueue garbage_;
    Counters counters_;
    Stats stats_;
    Lock lock_;
    Grown multiplier_;
    Grown cap_;
    int frame_ = 0;
    int attackers_ = 0;
    bool cleared_ = false;  // the last lock cleared rows
    TopOut top_out_ = TopOut::none;
    Piece current_;
    std::optional<Piece> held_;
};

}  // namespace sevenbag
