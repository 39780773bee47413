#include "game.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "error.hpp"
#include "spawn.hpp"

namespace sevenbag {

namespace {

std::string named(Piece piece) { return std::string(1, letter(piece)); }

std::string described(const Placement& p) {
    constexpr const char* kNames[] = {"north", "east", "south", "west"};
    return named(p.piece) + " " + kNames[static_cast<int>(p.rotation)] + " at x " +
           std::to_string(p.x) + ", y " + std::to_string(p.y);
}

[[noreturn]] void refuse_move(const std::string& text) { throw Error(ErrorKind::placement, text); }

std::shared_ptr<const Rules> checked(std::shared_ptr<const Rules> rules) {
    validate(*rules);
    return rules;
}

}  // namespace

Game::Game(std::shared_ptr<const Rules> rules, std::int64_t seed, std::int64_t garbage_seed)
    : rules_(checked(std::move(rules))),
      colored_board_(rules_->width, rules_->rows),
      solid_(rules_->width, rules_->rows),
      queue_(rules_->bag, seed, rules_->filled_bag, rules_->opening),
      garbage_(*rules_, garbage_seed),
      multiplier_{rules_->multiplier.start},
      cap_{rules_->cap.start},
      current_(queue_.take()) {}

void Game::start_from(const Board& board, const Counters& counters) {
    if (board.width() != rules_->width || board.rows() != rules_->rows)
        throw_invalid(ErrorKind::board, "board",
                      std::to_string(rules_->width) + " x " + std::to_string(rules_->rows) +
                          " cells, as in the rules",
                      std::to_string(board.width()) + " x " + std::to_string(board.rows()));
    check_range("combo", counters.combo, 0, kMaxCounter);
    check_range("back_to_back", counters.back_to_back, 0, kMaxCounter);
    colored_board_.board = board;
    colored_board_.grid.assign(board);
    counters_ = counters;
    update_solid_board();
    if (!spawn_of(current_)) top_out_ = TopOut::block_out;
}

std::optional<Piece> Game::offered_by_hold() const {
    if (!rules_->hold) return std::nullopt;
    if (held_) return held_;
    if (rules_->previews == 0) return std::nullopt;
    return queue_.peek(0);
}

std::optional<PieceCounts> Game::bag() const {
    if (!queue_.has_bag()) return std::nullopt;
    return queue_.remaining_in_bag(rules_->previews);
}

std::optional<PieceCounts> Game::filled_bag() const {
    if (!queue_.has_bag()) return std::nullopt;
    return queue_.filled_bag();
}

std::optional<Spawn> Game::spawn_of(Piece piece) const {
    return sevenbag::spawn_of(*rules_, colored_board_.board, solid(), piece, cleared_);
}

void Game::placements(bool with_hold, std::vector<Placement>& out) const {
    out.clear();
    if (is_over()) return;
    const std::optional<Piece> offered = with_hold ? offered_by_hold() : std::nullopt;
    thread_local PlacementList list;
    for (const bool holds : {false, true}) {
        const std::optional<Piece> piece = holds ? offered : current_;
        if (!piece || (holds && !out.empty() && *piece == current_)) continue;
        list_moves(*piece, holds, list);
        out.insert(out.end(), list.begin(), list.end());
    }
}

void Game::list_moves(Piece piece, bool holds, PlacementList& out) const {
    out.clear();
    if (const std::optional<Spawn> spawn = spawn_of(piece))
        generate_placements(solid(), piece, rules_->kicks, *spawn, rules_->spins, out,
                            holds ? spins_inherited_by_hold(piece) : InheritedSpins{});
}

void Game::receive(int lines, int frame) {
    check_frame(frame);
    check_range("lines", lines, 0, kMaxAttack);
    garbage_.receive(*rules_, lines, frame);
    stats_.received += lines;
    if (rules_->blocking != GarbageBlocking::instant || is_over()) return;
    std::vector<HoleMask> rows;
    garbage_.enter(*rules_, frame, LockCause::hard_drop, kMaxAttack, rows);
    push(rows);
    if (!is_over() && !spawn_of(current_)) top_out_ = TopOut::block_out;
    lock_.garbage.insert(lock_.garbage.end(), rows.begin(), rows.end());
    lock_.top_out = top_out_;
}

void Game::set_attackers(int attackers) {
    check_range("attackers", attackers, 0, kMaxAttackers);
    attackers_ = attackers;
}

Game::Move Game::find_move(const Placement& placement, std::optional<bool> hold) const {
    if (is_over()) refuse_move("the game is over: no move can be played");
    const std::optional<Piece> offered = offered_by_hold();
    const bool holds = hold.value_or(placement.piece != current_);
    if (holds && !offered)
        refuse_move(named(placement.piece) + " cannot be played: the current piece is " +
                    named(current_) +
                    (rules_->hold ? ", and the next piece is not known"
                                  : ", and these rules have no hold"));
    if (placement.piece != (holds ? *offered : current_))
        refuse_move(named(placement.piece) + " cannot be played: the current piece is " +
                    named(current_) + (offered ? ", and hold offers " + named(*offered) : ""));
    if (!solid().fits(placement))
        refuse_move(described(placement) + " does not fit: a cell is filled or outside the board");
    if (!solid().is_resting(placement))
        refuse_move(described(placement) + " is in mid-air: nothing lies below it");

    thread_local PlacementList list;
    list_moves(placement.piece, holds, list);
    const Placement wanted = canonical(placement);
    const Placement* best = nullptr;
    for (const Placement& found : list) {
        const Placement form = canonical(found);
        if (form.rotation != wanted.rotation || form.x != wanted.x || form.y != wanted.y) continue;
        // The best spin up to the claimed one; the least if all are better.
        const bool allowed = found.spin <= placement.spin;
        if (!best || (allowed && (found.spin > best->spin || best->spin > placement.spin)) ||
            (!allowed && found.spin < best->spin))
            best = &found;
    }
    if (!best) refuse_move(described(placement) + " cannot be reached from the spawn");
    return {{placement.piece, placement.rotation, placement.x, placement.y, best->spin}, holds};
}

const LockResult& Game::play(const Move& move, int frame) {
    advance_time(frame);
    lock_.begin(move.placement, frame_);
    lock_.from_hold = move.hold;

    swap_hold(move);
    colored_board_.fill(*rules_, move.placement);
    if (is_lock_out(*rules_, move.placement)) {
        top_out_ = TopOut::lock_out;
    } else {
        resolve_clear(*rules_, colored_board_,
                      {garbage_, counters_, multiplier_.value, stats_.pieces + 1, attackers_},
                      lock_);
        cleared_ = lock_.clear.lines > 0;
        enter_garbage();
        if (!is_over()) next_piece();
    }
    lock_.counters = counters_;
    lock_.top_out = top_out_;
    stats_.count(lock_);
    return lock_;
}

void Game::check_frame(int frame) {
    if (frame < 0 || frame > kMaxFrame)
        throw Error(ErrorKind::rules, "frame is " + std::to_string(frame) + ", must be 0 to " +
                                          std::to_string(kMaxFrame) + ", a day");
}

void Game::advance_time(int frame) {
    check_frame(frame);
    if (frame <= frame_) return;
    multiplier_.advance(rules_->multiplier, frame_, frame);
    cap_.advance(rules_->cap, frame_, frame);
    frame_ = frame;
}

InheritedSpins Game::spins_inherited_by_hold(Piece next) const {
    if (!rules_->spins.hold_keeps_spin) return {};
    const std::optional<Spawn> from = spawn_of(current_);
    const std::optional<Spawn> to = spawn_of(next);
    if (!from || !to) return {};
    // A new piece loses the spin when it falls, unless spins persist.
    const bool persists = spin_rule(rules_->spins, next).persists;
    if (!persists && !can_lock_at_spawn(solid(), rules_->kicks.appear(next, to->x, to->y)))
        return {};
    const auto list = std::make_unique<PlacementList>();
    generate_placements(solid(), current_, rules_->kicks, *from, rules_->spins, *list);
    return inheritable_spins(*list);
}

void Game::take_from_queue() {
    current_ = queue_.take();
    if (rules_->previews > 0)
        lock_.dealt[lock_.dealt_count++] = queue_.peek(rules_->previews - 1);
    else
        lock_.dealt[lock_.dealt_count++] = current_;
}

void Game::swap_hold(const Move& move) {
    if (!move.hold) return;
    ++stats_.holds;
    const Piece put_away = current_;
    if (held_)
        current_ = *held_;
    else
        take_from_queue();
    held_ = put_away;
}

void Game::enter_garbage() {
    if (lock_.clear.lines > 0 && rules_->blocking == GarbageBlocking::full) {
        update_solid_board();
        return;
    }
    const double cap = std::min(cap_.value, static_cast<double>(rules_->cap_limit));
    garbage_.enter(*rules_, frame_, LockCause::hard_drop, static_cast<int>(cap), lock_.garbage);
    garbage_.count_lock(*rules_);
    push(lock_.garbage);
}

void Game::push(const std::vector<HoleMask>& rows) {
    for (HoleMask row : rows)
        if (colored_board_.push(*rules_, row) && rules_->garbage_out)
            top_out_ = TopOut::garbage_out;
    stats_.garbage_entered += static_cast<int>(rows.size());
    update_solid_board();
}

// To be called when the board has changed.
void Game::update_solid_board() {
    if (!rules_->all_solid()) solid_ = solid_part(*rules_, colored_board_.board);
}

void Game::next_piece() {
    take_from_queue();
    if (!spawn_of(current_)) top_out_ = TopOut::block_out;
}

}  // namespace sevenbag
