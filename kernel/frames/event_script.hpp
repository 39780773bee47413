// Event script: all events of one player in one game, in order, and its runner. Replays store
// scripts.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "colored_board.hpp"
#include "frames/frame_game.hpp"

namespace sevenbag {

class EventScript {
  public:
    enum class EventKind : std::uint8_t {
        press,
        press_hoisted,
        release,
        announce,
        confirm,
        target
    };

    // Decode a list of numbers; each event begins with its frame and kind:
    //
    //     frame, press | press_hoisted | release, button, moment
    //     frame, announce, sender, number, lines, acknowledged, hole or -1
    //     frame, confirm, sender, number
    //     frame, target, count, player ...
    //
    // Throws Error(input) for an invalid list or decreasing frames.
    static EventScript unpack(std::span<const double> numbers);

    std::size_t size() const { return events_.size(); }

  private:
    friend class ScriptRunner;

    // A key or a network message; messages are stored apart because keys are frequent and small.
    struct Event {
        int frame;
        EventKind kind;
        Button button;
        double subframe;
        std::size_t message;
    };
    struct Message {
        AttackId attack_id;
        int lines;
        int acknowledged;
        int hole;
        std::vector<int> players;
    };
    class Reader;

    std::vector<Event> events_;
    std::vector<Message> messages_;
};

// A lock as it was, with the board after it.
struct RecordedLock {
    LockResult lock;
    ColorGrid grid;
    Piece next;  // the piece that appeared then
    std::optional<Piece> held;
};

// Plays a script.
class ScriptRunner {
  public:
    // Both outlive it.
    ScriptRunner(FrameGame& game, const EventScript& script) : game_(game), script_(script) {}

    // Plays `frames` whole frames, or until the player is out; then the events of the next frame.
    // Adds locks to `record` unless it is null.
    void play(int frames, std::vector<RecordedLock>* record = nullptr);

  private:
    void play_events(std::vector<RecordedLock>* record);
    void apply_event(const EventScript::Event& event, std::vector<RecordedLock>* record);
    void record_lock(std::vector<RecordedLock>* record);

    FrameGame& game_;
    const EventScript& script_;
    std::size_t next_ = 0;
    int recorded_pieces_ = 0;
};

}  // namespace sevenbag
