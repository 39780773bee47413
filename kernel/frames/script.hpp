// All that happens to one player in one game, in order: what a replay holds, and what plays it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "frames/frame_game.hpp"
#include "grid.hpp"

namespace sevenbag {

class Script {
  public:
    enum class What : std::uint8_t { press, press_hoisted, release, announce, confirm, target };

    // From a list of numbers, event by event, each beginning with its frame and what it is:
    //
    //     frame, press | press_hoisted | release, button, moment
    //     frame, announce, sender, number, lines, acknowledged, hole or -1
    //     frame, confirm, sender, number
    //     frame, target, count, player ...
    //
    // Raises Error(input) if it is no such list, or goes back in time.
    static Script unpack(std::span<const double> numbers);

    std::size_t size() const { return events_.size(); }

  private:
    friend class Performance;

    // A key, or what came by the network; keys are many, and take little room.
    struct Event {
        int frame;
        What what;
        Button button;
        double moment;
        std::size_t message;
    };
    struct Message {
        Ticket ticket;
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
struct Recorded {
    Lock lock;
    Grid grid;
    Piece next;  // the piece that appeared then
    std::optional<Piece> held;
};

// Plays a script.
class Performance {
  public:
    // Both outlive it.
    Performance(FrameGame& game, const Script& script) : game_(game), script_(script) {}

    // Plays `frames` whole frames, or until the player is out; then the events of the next frame.
    // Adds locks to `record` unless it is null.
    void play(int frames, std::vector<Recorded>* record = nullptr);

  private:
    void play_events(std::vector<Recorded>* record);
    void happen(const Script::Event& event, std::vector<Recorded>* record);
    void note(std::vector<Recorded>* record);

    FrameGame& game_;
    const Script& script_;
    std::size_t next_ = 0;
    int noted_ = 0;
};

}  // namespace sevenbag
