#include "frames/frame_game.hpp"

#include <algorithm>
#include <utility>

#include "error.hpp"
#include "spawn.hpp"

namespace sevenbag {

namespace {

std::shared_ptr<const Rules> checked_by_frame(std::shared_ptr<const Rules> rules) {
    validate(*rules);
    const auto refuse = [](const char* text) { throw Error(ErrorKind::rules, text); };
    if (!rules->all_solid() || rules->kept_rows < rules->rows)
        refuse("frame-by-frame games require that all rows are solid and kept");
    if (rules->blocking != GarbageBlocking::full)
        refuse("frame-by-frame games require garbage blocking 'full'");
    if (rules->travel_unit != TravelUnit::frames)
        refuse("frame-by-frame games require garbage travel in frames");
    if (rules->spins.on_shift == OnShift::rejudges)
        refuse("frame-by-frame games do not support spin_shift 'rejudges'");
    if (rules->visible_rows + 3 > rules->rows)
        refuse("frame-by-frame games require three hidden rows above the visible ones");
    return rules;
}

const FrameRules& checked(const FrameRules& time) {
    validate(time);
    return time;
}

const Handling& checked(const Handling& handling) {
    validate(handling);
    return handling;
}

}  // namespace

FrameGame::FrameGame(std::shared_ptr<const Rules> rules, const FrameRules& time,
                     const Handling& handling, std::int64_t seed)
    : rules_(checked_by_frame(std::move(rules))),
      time_(checked(time)),
      handling_(checked(handling)),
      colored_board_(rules_->width, rules_->rows),
      queue_(rules_->bag, seed, rules_->filled_bag, rules_->opening),
      gravity_{time_.gravity.start},
      multiplier_{rules_->multiplier.start},
      cap_{rules_->cap.start},
      garbage_(*rules_, seed),
      initial_kicks_(rules_->kicks.with_half_turns()) {
    spawn(queue_.take(), false);
}

// --- a frame -------------------------------------------------------------------------------------

void FrameGame::advance_to(double subframe) {
    if (game_over_reason_ != GameOverReason::none || subframe <= subframe_) return;
    advance_by(subframe - subframe_);
    subframe_ = subframe;
}

void FrameGame::advance_by(double frames) {
    for (Side side : {Side::left, Side::right})
        for (int due = sides_.advance(handling_, side, frames, rules_->width); due > 0 && shift();
             --due) {
        }
    const ActivePiece::FallResult fall = piece_.advance(context(), frames);
    if (soft_) stats_.points += fall.rows;
    if (fall.locks) lock(LockCause::timeout);
}

void FrameGame::end_frame() {
    lock_frame_ = frame_ + 1;
    if (game_over_reason_ == GameOverReason::none) advance_by(1 - subframe_);
    stats_.advance_frame();
    gravity_.advance(time_.gravity, frame_, frame_ + 1);
    multiplier_.advance(rules_->multiplier, frame_, frame_ + 1);
    cap_.advance(rules_->cap, frame_, frame_ + 1);
    frame_ = lock_frame_;
    last_subframe_ = std::exchange(subframe_, 0);
}

// --- keys ----------------------------------------------------------------------------------------

void FrameGame::press(Button button, double subframe, bool hoisted) {
    if (game_over_reason_ != GameOverReason::none) return;
    advance_to(subframe);
    key_down(button, hoisted);
}

void FrameGame::key_down(Button button, bool hoisted) {
    if (button == Button::hard_drop && (!time_.hard_drop || piece_.hard_drop_blocked())) return;
    ++stats_.inputs;
    if (game_over_reason_ != GameOverReason::none) return;
    down_[static_cast<std::size_t>(button)] = true;
    switch (button) {
        case Button::move_left:
        case Button::move_right:
            sides_.press(handling_, button == Button::move_left ? Side::left : Side::right,
                         hoisted);
            shift();
            return;
        case Button::soft_drop:
            soft_ = true;
            return;
        case Button::hard_drop:
            return hard_drop();
        case Button::rotate_cw:
            return turn(1);
        case Button::rotate_ccw:
            return turn(3);
        case Button::rotate_180:
            return turn(2);
        case Button::hold:
            return hold();
        case Button::none:
            return;
    }
}

void FrameGame::release(Button button, double subframe) {
    advance_to(subframe);
    key_up(button);
}

void FrameGame::key_up(Button button) {
    if (game_over_reason_ != GameOverReason::none) return;
    down_[static_cast<std::size_t>(button)] = false;
    if (button == Button::move_left || button == Button::move_right)
        sides_.release(handling_, button == Button::move_left ? Side::left : Side::right);
    else if (button == Button::soft_drop)
        soft_ = false;
}

bool FrameGame::shift() {
    const bool moved = piece_.shift(context(), sides_.direction());
    sides_.set_blocked(!moved);
    return moved;
}

void FrameGame::turn(int quarters) { turn(quarters, rules_->kicks); }

void FrameGame::turn(int quarters, const Kicks& kicks) {
    if (piece_.turn(context(), quarters, kicks)) sides_.cut_das(handling_);
}

void FrameGame::hard_drop() {
    stats_.points += 2 * piece_.drop(context());
    lock(LockCause::hard_drop);
}

// --- pieces appear -------------------------------------------------------------------------------

void FrameGame::hold() {
    if (!rules_->hold || (hold_used_ && !time_.infinite_hold)) return;
    hold_used_ = true;
    ++stats_.holds;
    const Piece brought = held_ ? *held_ : take_from_queue();
    held_ = piece_.piece();
    spawn(brought, true);
}

Piece FrameGame::take_from_queue() {
    const Piece piece = queue_.take();
    // An empty hold slot is filled once in a game, so at most two pieces appear between locks.
    dealt_[static_cast<std::size_t>(dealt_count_++)] =
        rules_->previews > 0 ? queue_.peek(rules_->previews - 1) : piece;
    return piece;
}

void FrameGame::spawn(Piece piece, bool from_hold) {
    const auto is_down = [this](Button button) { return down_[static_cast<std::size_t>(button)]; };
    int quarters = 0;
    if (handling_.initial_rotation == InitialAction::hold)
        quarters = (is_down(Button::rotate_cw) + 3 * is_down(Button::rotate_ccw) +
                    2 * is_down(Button::rotate_180)) %
                   kRotations;
    const bool holds =
        handling_.initial_hold == InitialAction::hold && is_down(Button::hold) && !from_hold;
    sides_.cut_das(handling_);
    sides_.set_blocked(false);
    if (!from_hold) hold_used_ = false;

    piece_.spawn(context(), piece);
    if (!find_free_row()) {
        const bool smashed = !from_hold && !lock_.garbage.empty();
        return end(smashed ? GameOverReason::garbage_smash : GameOverReason::top_out);
    }
    if (holds) return hold();
    if (quarters != 0) turn(quarters, initial_kicks_);
    piece_.apply_20g(context());
}

// Return whether a new piece fits, possibly a few rows higher.
bool FrameGame::find_free_row() {
    int higher = 0;
    if (rules_->blocked_spawn == BlockedSpawnRule::raise) higher = 1;
    if (rules_->blocked_spawn == BlockedSpawnRule::clutch && cleared_) higher = rules_->rows;
    while (!piece_.fits(context()))
        if (higher-- <= 0 || !piece_.raise(context())) return false;
    return true;
}

// --- a piece locks -------------------------------------------------------------------------------

void FrameGame::lock(LockCause by) {
    lock_.begin(piece_.placement(), lock_frame_);
    lock_.from_hold = hold_used_;
    colored_board_.fill(*rules_, lock_.placement);
    const AttackResult attack =
        resolve_clear(*rules_, colored_board_,
                      {garbage_, counters_, multiplier_.value, stats_.pieces + 1}, lock_);
    if (!time_.sends_attacks) lock_.attacks = lock_.sent = {};
    cleared_ = lock_.clear.lines > 0;
    if (!cleared_) enter_garbage(by);
    lock_.counters = counters_;

    if (!cleared_ && is_lock_out(*rules_, lock_.placement)) {
        lock_.top_out = TopOut::lock_out;
        end(GameOverReason::top_out);
    } else {
        hold_used_ = false;
        spawn(take_from_queue(), false);
        if (game_over_reason_ != GameOverReason::none) lock_.top_out = TopOut::block_out;
    }
    lock_.dealt = dealt_;
    lock_.dealt_count = std::exchange(dealt_count_, 0);
    // The spin of a rotation that a held key has given the new piece is lost, too.
    piece_.end_spin();
    send();
    stats_.count(lock_, attack.clear);
}

void FrameGame::enter_garbage(LockCause by) {
    const double cap = std::min(cap_.value, static_cast<double>(rules_->cap_limit));
    garbage_.enter(*rules_, lock_frame_, by, static_cast<int>(cap), lock_.garbage);
    for (HoleMask row : lock_.garbage) colored_board_.push(*rules_, row);
    stats_.garbage_entered += static_cast<int>(lock_.garbage.size());
}

void FrameGame::send() {
    stats_.send(lock_.sent, multiplier_.value);
    for (int target : targets_)
        for (int lines : lock_.sent)
            sent_.push_back({target, in_flight_attacks_.send(target, lines), lines,
                             in_flight_attacks_.received(target), frame_, stats_.pieces + 1});
}

void FrameGame::end(GameOverReason out) {
    game_over_reason_ = out;
    game_over_time_ = lock_frame_ + subframe_;
    game_over_frame_ = frame_;
}

// --- the network ---------------------------------------------------------------------------------

void FrameGame::announce(AttackId attack_id, int lines, int acknowledged, int hole) {
    if (!accepts_messages()) return;
    if (time_.cancels_in_flight)
        lines = in_flight_attacks_.receive(attack_id.sender, attack_id.number, lines, acknowledged);
    garbage_.announce(*rules_, attack_id, lines, hole);
}

void FrameGame::confirm(AttackId attack_id) {
    if (!accepts_messages()) return;
    stats_.received += garbage_.confirm(*rules_, attack_id, frame_);
}

std::vector<SentAttack> FrameGame::take_sent_attacks() { return std::exchange(sent_, {}); }

}  // namespace sevenbag
