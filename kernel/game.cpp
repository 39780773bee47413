#include "game.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "error.hpp"

namespace sevenbag {

namespace {

std::string named(Piece piece) { return std::string(1, letter(piece)); }

std::string described(const Placement& p) {
    constexpr const char* kNames[] = {"north", "east", "south", "west"};
    return named(p.piece) + " " + kNames[static_cast<int>(p.rotation)] + " at x " +
           std::to_string(p.x) + ", y " + std::to_string(p.y);
}

[[noreturn]] void refuse(const std::string& text) { throw Error(ErrorKind::placement, text); }

std::shared_ptr<const Rules> checked(std::shared_ptr<const Rules> rules) {
    validate(*rules);
    return rules;
}

}  // namespace

Game::Game(std::shared_ptr<const Rules> rules, std::int64_t seed, std::int64_t garbage_seed)
    : rules_(checked(std::move(rules))),
      board_(rules_->width, rules_->rows),
      grid_(rules_->width, rules_->rows),
      queue_(rules_->bag, seed),
      garbage_(*rules_, garbage_seed),
      multiplier_{rules_->multiplier.start},
      cap_{rules_->cap.start},
      current_(queue_.take()) {
    if (!spawn_of(current_))
        throw Error(ErrorKind::rules,
                    "pieces cannot appear at x " + std::to_string(rules_->spawn.x) + ", y " +
                        std::to_string(rules_->spawn.y) + " of a board of " +
                        std::to_string(rules_->width) + " x " + std::to_string(rules_->rows));
}

void Game::start_from(const Board& board, const Counters& counters) {
    if (board.width() != rules_->width || board.rows() != rules_->rows)
        throw Error(ErrorKind::board, "the board is " + std::to_string(board.width()) + " x " +
                                          std::to_string(board.rows()) + ", the rules play on " +
                                          std::to_string(rules_->width) + " x " +
                                          std::to_string(rules_->rows));
    board_ = board;
    grid_.assign(board);
    counters_ = counters;
    if (!spawn_of(current_)) top_out_ = TopOut::block_out;
}

std::optional<Piece> Game::offered_by_hold() const {
    if (!rules_->hold) return std::nullopt;
    return held_ ? *held_ : queue_.peek(0);
}

std::optional<PieceCounts> Game::bag() const {
    if (!queue_.has_bag()) return std::nullopt;
    return queue_.left_in_bag(rules_->previews);
}

std::optional<Spawn> Game::spawn_of(Piece piece) const {
    Spawn spawn = rules_->spawn;
    if (!blocked(piece, spawn.x, spawn.y)) {
        for (int i = 0; i < rules_->spawn_drop && !blocked(piece, spawn.x, spawn.y - 1); ++i)
            --spawn.y;
        return spawn;
    }
    switch (rules_->blocked_spawn) {
        case BlockedSpawn::lost:
            return std::nullopt;
        case BlockedSpawn::raise:
            ++spawn.y;
            if (blocked(piece, spawn.x, spawn.y)) return std::nullopt;
            return spawn;
        case BlockedSpawn::clutch:
            if (!cleared_) return std::nullopt;
            for (++spawn.y; spawn.y < rules_->rows; ++spawn.y)
                if (!blocked(piece, spawn.x, spawn.y)) return spawn;
            return std::nullopt;
    }
    return std::nullopt;
}

void Game::placements(bool with_hold, std::vector<Placement>& out) const {
    out.clear();
    if (over()) return;
    const std::optional<Piece> offered = with_hold ? offered_by_hold() : std::nullopt;
    thread_local PlacementList list;
    for (std::optional<Piece> piece : {std::optional(current_), offered}) {
        if (!piece || (!out.empty() && *piece == current_)) continue;
        const std::optional<Spawn> spawn = spawn_of(*piece);
        if (!spawn) continue;
        generate(board_, *piece, rules_->kicks, *spawn, rules_->spins, list);
        out.insert(out.end(), list.begin(), list.end());
    }
}

void Game::receive(int lines, int frame) {
    check_frame(frame);
    if (lines < 0 || lines > kLargestAttack)
        throw Error(ErrorKind::rules, "an attack of " + std::to_string(lines) +
                                          " lines, must be 0 to " + std::to_string(kLargestAttack));
    garbage_.receive(*rules_, lines, frame);
    stats_.received += lines;
}

Game::Move Game::judge(const Placement& placement, std::optional<bool> hold) const {
    if (over()) refuse("the game is over: no move can be played");
    const std::optional<Piece> offered = offered_by_hold();
    const bool holds = hold.value_or(placement.piece != current_);
    if (holds && !offered)
        refuse(named(placement.piece) + " cannot be played: the current piece is " +
               named(current_) + ", and these rules have no hold");
    if (placement.piece != (holds ? *offered : current_))
        refuse(named(placement.piece) + " cannot be played: the current piece is " +
               named(current_) + (offered ? ", and hold offers " + named(*offered) : ""));
    if (!board_.fits(placement))
        refuse(described(placement) + " does not fit: a cell is filled or outside the board");
    if (!board_.resting(placement))
        refuse(described(placement) + " is in mid-air: nothing lies below it");

    thread_local PlacementList list;
    const std::optional<Spawn> spawn = spawn_of(placement.piece);
    list.clear();
    if (spawn) generate(board_, placement.piece, rules_->kicks, *spawn, rules_->spins, list);
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
    if (!best) refuse(described(placement) + " cannot be reached from where the piece appears");
    return {{placement.piece, placement.rotation, placement.x, placement.y, best->spin}, holds};
}

const Lock& Game::play(const Move& move, int frame) {
    advance_time(frame);
    lock_.placement = move.placement;
    lock_.held = move.hold;
    lock_.rows = 0;
    lock_.clear = {move.placement.piece, move.placement.spin, 0, 0, false};
    lock_.attacks = lock_.sent = {};
    lock_.released = lock_.cancelled = lock_.dealt_count = 0;
    lock_.holes.clear();
    lock_.frame = frame_;

    take_piece(move);
    board_.fill(move.placement);
    grid_.fill(move.placement);
    if (locks_out(move.placement)) {
        top_out_ = TopOut::lock_out;
    } else {
        clear_and_send();
        let_garbage_in();
        if (!over()) next_piece();
    }
    lock_.counters = counters_;
    lock_.top_out = top_out_;
    count_lock();
    return lock_;
}

void Game::check_frame(int frame) {
    if (frame < 0 || frame > kLastFrame)
        throw Error(ErrorKind::rules, "frame is " + std::to_string(frame) + ", must be 0 to " +
                                          std::to_string(kLastFrame) + ", a day");
}

void Game::Grown::advance(const Growth& growth, int from, int to) {
    if (growth.per_second == 0) return;
    // Added frame by frame, as the rule is written: a product would round otherwise.
    for (int frame = std::max(from, growth.margin); frame < to; ++frame)
        value += growth.per_second / 60;
}

void Game::advance_time(int frame) {
    check_frame(frame);
    if (frame <= frame_) return;
    multiplier_.advance(rules_->multiplier, frame_, frame);
    cap_.advance(rules_->cap, frame_, frame);
    frame_ = frame;
}

bool Game::blocked(Piece piece, int x, int y) const {
    return !board_.fits({piece, rules_->kicks.spawn(piece), static_cast<std::int8_t>(x),
                         static_cast<std::int8_t>(y), Spin::none});
}

void Game::take_from_queue() {
    current_ = queue_.take();
    if (rules_->previews > 0)
        lock_.dealt[lock_.dealt_count++] = queue_.peek(rules_->previews - 1);
    else
        lock_.dealt[lock_.dealt_count++] = current_;
}

void Game::take_piece(const Move& move) {
    if (!move.hold) return;
    ++stats_.holds;
    const Piece put_away = current_;
    if (held_)
        current_ = *held_;
    else
        take_from_queue();
    held_ = put_away;
}

bool Game::locks_out(const Placement& placement) const {
    if (rules_->lock_out == LockOut::none) return false;
    int above = 0;
    for (Cell c : cells_of(placement)) above += c.y >= rules_->visible_rows;
    return above >= (rules_->lock_out == LockOut::whole ? 4 : 1);
}

void Game::clear_and_send() {
    Clear& clear = lock_.clear;
    lock_.rows = board_.clear_rows();
    clear.lines = std::popcount(lock_.rows);
    for (std::uint64_t rows = lock_.rows; rows != 0; rows &= rows - 1)
        clear.garbage_lines += grid_.has_garbage(std::countr_zero(rows));
    grid_.remove_rows(lock_.rows);
    clear.perfect = clear.lines > 0 && board_.empty();
    cleared_ = clear.lines > 0;

    const Attack attack =
        attack_of(*rules_, clear, counters_, multiplier_.value, garbage_.random());
    lock_.attacks = attack.list;
    lock_.released = attack.released;
    if (clear.lines == 0) return;
    const Outcome outcome = garbage_.cancel(*rules_, attack.list, stats_.pieces + 1);
    lock_.sent = outcome.sent;
    lock_.cancelled = outcome.cancelled;
}

void Game::let_garbage_in() {
    if (lock_.clear.lines > 0 && rules_->blocking) return;
    const double cap = std::min(cap_.value, static_cast<double>(rules_->cap_limit));
    garbage_.enter(*rules_, frame_, static_cast<int>(cap), lock_.holes);
    garbage_.count_lock(*rules_);
    for (int hole : lock_.holes) push_garbage(hole);
}

void Game::push_garbage(int hole) {
    const int last = rules_->rows - 1;
    if (rules_->garbage_out && board_.row(last) != 0) top_out_ = TopOut::garbage_out;
    int top = last;
    std::array<std::uint32_t, 2> kept{};
    if (rules_->cut_off == CutOff::third_from_top && last >= 2) {
        top = last - 2;
        kept = {board_.row(last - 1), board_.row(last)};
    }
    board_.push_rows(board_.full_row() & ~(1u << hole), 1);
    if (top != last) {
        board_.set_row(last - 1, kept[0]);
        board_.set_row(last, kept[1]);
    }
    grid_.push_garbage(hole, top);
}

void Game::next_piece() {
    take_from_queue();
    if (!spawn_of(current_)) top_out_ = TopOut::block_out;
}

void Game::count_lock() {
    const Clear& clear = lock_.clear;
    ++stats_.pieces;
    stats_.lines += clear.lines;
    stats_.attack += lock_.attacks.total();
    stats_.cancelled += lock_.cancelled;
    stats_.sent += lock_.sent.total();
    stats_.garbage_entered += static_cast<int>(lock_.holes.size());
    stats_.garbage_cleared += clear.garbage_lines;
    stats_.spins += clear.spin != Spin::none;
    stats_.perfect_clears += clear.perfect;
    stats_.max_combo = std::max(stats_.max_combo, counters_.combo);
    stats_.max_back_to_back = std::max(stats_.max_back_to_back, counters_.back_to_back);
    if (clear.lines > 0)
        ++stats_.clears[static_cast<int>(clear.spin)][std::min(clear.lines, kMaxLines)];
}

}  // namespace sevenbag
