#include "frames/frame_game.hpp"

#include <algorithm>
#include <utility>

#include "error.hpp"
#include "topout.hpp"

namespace sevenbag {

namespace {

std::shared_ptr<const Rules> checked_by_frame(std::shared_ptr<const Rules> rules) {
    validate(*rules);
    const auto refuse = [](const char* text) { throw Error(ErrorKind::rules, text); };
    if (!rules->all_solid() || rules->kept_rows < rules->rows)
        refuse("frame by frame, pieces collide with all rows and every row is kept");
    if (rules->blocking != Blocking::full)
        refuse("frame by frame, garbage enters at a lock that clears nothing and is cancelled");
    if (rules->travel_unit != Travel::frames)
        refuse("frame by frame, garbage travels for frames, not for locks");
    if (rules->spins.on_shift == OnShift::rejudges)
        refuse("frame by frame, spins are judged as pieces turn, not as they lock");
    if (rules->visible_rows + 3 > rules->rows)
        refuse("frame by frame, pieces appear two rows above those that are seen");
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
      field_(rules_->width, rules_->rows),
      queue_(rules_->bag, seed, rules_->filled_bag, rules_->opening),
      gravity_{time_.gravity.start},
      multiplier_{rules_->multiplier.start},
      cap_{rules_->cap.start},
      garbage_(*rules_, seed),
      initial_kicks_(rules_->kicks.with_half_turns()) {
    spawn(queue_.take(), false);
}

// --- a frame -------------------------------------------------------------------------------------

void FrameGame::pass(double moment) {
    if (out_ != Out::none || moment <= moment_) return;
    advance(moment - moment_);
    moment_ = moment;
}

void FrameGame::advance(double frames) {
    for (Side side : {Side::left, Side::right})
        for (int due = sides_.pass(handling_, side, frames, rules_->width); due > 0 && shift();
             --due) {
        }
    const Airborne::Fall fall = piece_.fall(air(), frames);
    if (soft_) tally_.points += fall.rows;
    if (fall.locks) lock(LockedBy::time);
}

void FrameGame::end_frame() {
    seen_frame_ = frame_ + 1;
    if (out_ == Out::none) advance(1 - moment_);
    tally_.pass_frame();
    gravity_.advance(time_.gravity, frame_, frame_ + 1);
    multiplier_.advance(rules_->multiplier, frame_, frame_ + 1);
    cap_.advance(rules_->cap, frame_, frame_ + 1);
    frame_ = seen_frame_;
    kept_moment_ = std::exchange(moment_, 0);
}

// --- keys ----------------------------------------------------------------------------------------

void FrameGame::press(Button button, double moment, bool hoisted) {
    if (out_ != Out::none) return;
    pass(moment);
    key_down(button, hoisted);
}

void FrameGame::key_down(Button button, bool hoisted) {
    if (button == Button::hard_drop && (!time_.hard_drop || piece_.guarded())) return;
    ++tally_.inputs;
    if (out_ != Out::none) return;
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

void FrameGame::release(Button button, double moment) {
    pass(moment);
    key_up(button);
}

void FrameGame::key_up(Button button) {
    if (out_ != Out::none) return;
    down_[static_cast<std::size_t>(button)] = false;
    if (button == Button::move_left || button == Button::move_right)
        sides_.release(handling_, button == Button::move_left ? Side::left : Side::right);
    else if (button == Button::soft_drop)
        soft_ = false;
}

bool FrameGame::shift() {
    const bool moved = piece_.shift(air(), sides_.direction());
    sides_.set_blocked(!moved);
    return moved;
}

void FrameGame::turn(int quarters) { turn(quarters, rules_->kicks); }

void FrameGame::turn(int quarters, const Kicks& kicks) {
    if (piece_.turn(air(), quarters, kicks)) sides_.cut(handling_);
}

void FrameGame::hard_drop() {
    tally_.points += 2 * piece_.drop(air());
    lock(LockedBy::drop);
}

// --- pieces appear -------------------------------------------------------------------------------

void FrameGame::hold() {
    if (!rules_->hold || (hold_used_ && !time_.infinite_hold)) return;
    hold_used_ = true;
    ++tally_.holds;
    const Piece brought = held_ ? *held_ : take_from_queue();
    held_ = piece_.piece();
    spawn(brought, true);
}

Piece FrameGame::take_from_queue() {
    const Piece piece = queue_.take();
    // An empty hold slot is filled once in a game: no more than two come between locks.
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
    sides_.cut(handling_);
    sides_.set_blocked(false);
    if (!from_hold) hold_used_ = false;

    piece_.appear(air(), piece);
    if (!makes_room()) {
        const bool smashed = !from_hold && !lock_.garbage.empty();
        return end(smashed ? Out::garbage_smash : Out::top_out);
    }
    if (holds) return hold();
    if (quarters != 0) turn(quarters, initial_kicks_);
    piece_.slam(air());
}

// Whether a new piece fits, if need be a little higher.
bool FrameGame::makes_room() {
    int higher = 0;
    if (rules_->blocked_spawn == BlockedSpawn::raise) higher = 1;
    if (rules_->blocked_spawn == BlockedSpawn::clutch && cleared_) higher = rules_->rows;
    while (!piece_.fits(air()))
        if (higher-- <= 0 || !piece_.raise(air())) return false;
    return true;
}

// --- a piece locks -------------------------------------------------------------------------------

void FrameGame::lock(LockedBy by) {
    lock_.begin(piece_.placement(), seen_frame_);
    lock_.held = hold_used_;
    field_.fill(*rules_, lock_.placement);
    const Attack attack = clear_and_send(
        *rules_, field_, {garbage_, counters_, multiplier_.value, tally_.pieces + 1}, lock_);
    if (!time_.sends) lock_.attacks = lock_.sent = {};
    cleared_ = lock_.clear.lines > 0;
    if (!cleared_) let_garbage_in(by);
    lock_.counters = counters_;

    if (!cleared_ && locks_out(*rules_, lock_.placement)) {
        lock_.top_out = TopOut::lock_out;
        end(Out::top_out);
    } else {
        hold_used_ = false;
        spawn(take_from_queue(), false);
        if (out_ != Out::none) lock_.top_out = TopOut::block_out;
    }
    lock_.dealt = dealt_;
    lock_.dealt_count = std::exchange(dealt_count_, 0);
    // The verdict of a turn that a held key has given the new piece is lost, too.
    piece_.end_spin();
    send();
    tally_.count(lock_, attack.clear);
}

void FrameGame::let_garbage_in(LockedBy by) {
    const double cap = std::min(cap_.value, static_cast<double>(rules_->cap_limit));
    garbage_.enter(*rules_, seen_frame_, by, static_cast<int>(cap), lock_.garbage);
    for (Holed row : lock_.garbage) field_.push(*rules_, row);
    tally_.garbage_entered += static_cast<int>(lock_.garbage.size());
}

void FrameGame::send() {
    tally_.send(lock_.sent, multiplier_.value);
    for (int target : targets_)
        for (int lines : lock_.sent)
            sent_.push_back({target, crossing_.send(target, lines), lines,
                             crossing_.received(target), frame_, tally_.pieces + 1});
}

void FrameGame::end(Out out) {
    out_ = out;
    out_at_ = seen_frame_ + moment_;
    out_frame_ = frame_;
}

// --- the network ---------------------------------------------------------------------------------

void FrameGame::announce(Ticket ticket, int lines, int acknowledged, int hole) {
    if (!accepts_messages()) return;
    if (time_.crossing)
        lines = crossing_.receive(ticket.sender, ticket.number, lines, acknowledged);
    garbage_.announce(*rules_, ticket, lines, hole);
}

void FrameGame::confirm(Ticket ticket) {
    if (!accepts_messages()) return;
    tally_.received += garbage_.confirm(*rules_, ticket, frame_);
}

std::vector<Sent> FrameGame::take_sent() { return std::exchange(sent_, {}); }

}  // namespace sevenbag
