// Game of one player as in TETR.IO: frame by frame, from keys, with the subframes at which they
// were pressed.
//
// A frame consists of its events in order (`press`, `release`, and network messages), then
// `end_frame`. Recorded games are reproduced exactly, in lines and points.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "colored_board.hpp"
#include "frames/active_piece.hpp"
#include "frames/auto_shift.hpp"
#include "frames/frame_rules.hpp"
#include "frames/frame_stats.hpp"
#include "garbage.hpp"
#include "in_flight_attacks.hpp"
#include "lock_result.hpp"
#include "piece_queue.hpp"
#include "rules.hpp"

namespace sevenbag {

enum class Button : std::uint8_t {
    move_left,
    move_right,
    soft_drop,
    hard_drop,
    rotate_cw,
    rotate_ccw,
    rotate_180,
    hold,
    none,  // a key without effect that counts as a press
};
inline constexpr int kButtons = 9;

// Why a player is out.
enum class GameOverReason : std::uint8_t {
    none,
    top_out,
    garbage_smash,  // garbage that had just entered left no room for the next piece
};

// A sent attack.
struct SentAttack {
    int target;
    int number;  // of those towards this target, from 1
    int lines;
    int acknowledged;  // the number of the last attack received from there
    int frame;         // the one in which it was made
    int piece;         // by which piece of the game, from 1
};

class FrameGame {
  public:
    // `seed` decides pieces and holes both. Throws Error(rules).
    FrameGame(std::shared_ptr<const Rules> rules, const FrameRules& time, const Handling& handling,
              std::int64_t seed);

    // --- events of a frame, in order

    // A key goes down, or up, at a moment from 0 to below 1 of this frame. `hoisted`: it was down
    // already when the game began. If the player tops out before the key's moment, the key
    // counts as an input but has no other effect. Later keys are ignored.
    void press(Button button, double subframe, bool hoisted = false);
    void release(Button button, double subframe);
    // Press or release a key at the current moment, without passing time.
    void key_down(Button button, bool hoisted);
    void key_up(Button button);
    // Set the players that this one targets.
    void set_targets(std::vector<int> players) { targets_ = std::move(players); }
    // Network messages are accepted up to the frame after the top-out.
    //
    // Announce an attack to this player; its sender had received this player's attacks up to
    // `acknowledged`. `hole` is the column sent with it, or -1.
    void announce(AttackId attack_id, int lines, int acknowledged, int hole = -1);
    // It sets out.
    void confirm(AttackId attack_id);

    // Time passes up to a moment of this frame, or to its end.
    void advance_to(double subframe);
    void end_frame();

    // --- how it stands

    const Rules& rules() const { return *rules_; }
    const FrameRules& frame_rules() const { return time_; }
    const Handling& handling() const { return handling_; }
    const ColoredBoard& colored_board() const { return colored_board_; }
    const ActivePiece& piece() const { return piece_; }
    std::optional<Piece> held() const { return held_; }
    Piece preview(int i) const { return queue_.peek(i); }
    // The bag of the first piece that is not visible; none if bags are unknown.
    std::optional<PieceCounts> bag() const {
        if (!queue_.has_bag()) return std::nullopt;
        return queue_.remaining_in_bag(rules_->previews);
    }
    std::optional<PieceCounts> filled_bag() const {
        if (!queue_.has_bag()) return std::nullopt;
        return queue_.filled_bag();
    }
    const GarbageQueue& garbage() const { return garbage_; }
    const Counters& counters() const { return counters_; }
    const FrameStats& frame_stats() const { return stats_; }
    const LockResult& last_lock() const { return lock_; }
    // Frames that have ended.
    int frame() const { return frame_; }
    // The elapsed fraction of the current frame.
    double subframe() const { return subframe_; }
    GameOverReason game_over_reason() const { return game_over_reason_; }
    // The same reason as in a game of placements.
    TopOut top_out() const {
        if (game_over_reason_ == GameOverReason::none) return TopOut::none;
        return lock_.top_out == TopOut::none ? TopOut::block_out : lock_.top_out;
    }
    // Duration in frames: up to the top-out, or up to the subframe of the last key of the last
    // frame.
    double duration() const {
        return game_over_reason_ != GameOverReason::none ? game_over_time_
                                                         : frame_ + last_subframe_;
    }
    // Return and clear the attacks since the last call.
    std::vector<SentAttack> take_sent_attacks();

  private:
    FrameContext context() const {
        return {*rules_, time_, handling_, colored_board_.board, gravity_.value, soft_};
    }
    void advance_by(double frames);
    bool shift();
    void turn(int quarters);
    void turn(int quarters, const Kicks& kicks);
    void hard_drop();
    void hold();
    Piece take_from_queue();
    void spawn(Piece piece, bool from_hold);
    bool find_free_row();
    void lock(LockCause by);
    void enter_garbage(LockCause by);
    void send();
    void end(GameOverReason out);
    bool accepts_messages() const {
        return game_over_reason_ == GameOverReason::none || frame_ <= game_over_frame_ + 1;
    }

    std::shared_ptr<const Rules> rules_;
    FrameRules time_;
    Handling handling_;

    ColoredBoard colored_board_;
    mutable PieceQueue queue_;  // deals pieces on demand, even through const access
    std::optional<Piece> held_;
    bool hold_used_ = false;
    // Pieces that became visible since the last lock.
    std::array<Piece, 2> dealt_{};
    int dealt_count_ = 0;
    ActivePiece piece_;

    AutoShift sides_;
    bool soft_ = false;
    std::array<bool, kButtons> down_{};

    GrowingValue gravity_;
    GrowingValue multiplier_;
    GrowingValue cap_;
    GarbageQueue garbage_;
    InFlightAttacks in_flight_attacks_;
    // A held 180-degree key rotates a new piece even if the rules have no half turns.
    Kicks initial_kicks_;
    std::vector<int> targets_;
    std::vector<SentAttack> sent_;
    Counters counters_;

    // The frame as locks see it is one further once all keys of a frame are done.
    int frame_ = 0;
    int lock_frame_ = 0;
    double subframe_ = 0;       // of this frame
    double last_subframe_ = 0;  // of the last one
    bool cleared_ = false;      // the last lock cleared rows

    FrameStats stats_;
    LockResult lock_;
    GameOverReason game_over_reason_ = GameOverReason::none;
    double game_over_time_ = 0;
    int game_over_frame_ = 0;
};

}  // namespace sevenbag
