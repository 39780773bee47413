#include "frames/event_script.hpp"

#include <cmath>
#include <string>

#include "error.hpp"

namespace sevenbag {

class EventScript::Reader {
  public:
    explicit Reader(std::span<const double> numbers) : numbers_(numbers) {}

    bool at_end() const { return at_ == numbers_.size(); }

    double number(const char* name, double min, double max) {
        if (at_end()) refuse(std::string("the list ends before ") + name);
        const double value = numbers_[at_++];
        if (!(value >= min && value <= max))
            refuse(std::string("invalid ") + name + ": expected " + std::to_string(min) + " to " +
                   std::to_string(max) + ", got " + std::to_string(value));
        return value;
    }
    int whole(const char* name, int min, int max) {
        const double value = number(name, min, max);
        if (value != std::floor(value))
            refuse(std::string("invalid ") + name + ": expected an integer");
        return static_cast<int>(value);
    }

    Message message(EventKind kind) {
        constexpr int kMaxNumber = 1 << 30;
        constexpr int kMaxTargets = 1000;
        Message message{{}, 0, 0, -1, {}};
        if (kind == EventKind::target) {
            message.players.resize(static_cast<std::size_t>(whole("count", 0, kMaxTargets)));
            for (int& player : message.players) player = whole("player", -kMaxNumber, kMaxNumber);
            return message;
        }
        message.attack_id.sender = whole("sender", -kMaxNumber, kMaxNumber);
        message.attack_id.number = whole("number", 0, kMaxNumber);
        if (kind == EventKind::confirm) return message;
        message.lines = whole("lines", 0, kMaxAttack);
        message.acknowledged = whole("acknowledged", 0, kMaxNumber);
        message.hole = whole("hole", -1, kMaxWidth - 1);
        return message;
    }

    [[noreturn]] void refuse(const std::string& what) const {
        throw Error(ErrorKind::input, "number " + std::to_string(at_) + " of a script: " + what);
    }

  private:
    std::span<const double> numbers_;
    std::size_t at_ = 0;
};

EventScript EventScript::unpack(std::span<const double> numbers) {
    EventScript script;
    script.events_.reserve(numbers.size() / 4);
    Reader reader(numbers);
    int frame = 0;
    while (!reader.at_end()) {
        Event event{};
        frame = event.frame = reader.whole("frame", frame, kMaxFrame);
        event.kind =
            static_cast<EventKind>(reader.whole("event", 0, static_cast<int>(EventKind::target)));
        if (event.kind <= EventKind::release) {
            event.button = static_cast<Button>(reader.whole("button", 0, kButtons - 1));
            event.subframe = reader.number("moment", 0, 1);
        } else {
            event.message = script.messages_.size();
            script.messages_.push_back(reader.message(event.kind));
        }
        script.events_.push_back(event);
    }
    return script;
}

void ScriptRunner::play(int frames, std::vector<RecordedLock>* record) {
    while (game_.frame() < frames && game_.game_over_reason() == GameOverReason::none) {
        play_events(record);
        game_.end_frame();
        record_lock(record);
    }
    play_events(record);
}

void ScriptRunner::play_events(std::vector<RecordedLock>* record) {
    for (; next_ < script_.events_.size(); ++next_) {
        const EventScript::Event& event = script_.events_[next_];
        if (event.frame > game_.frame()) break;
        apply_event(event, record);
        record_lock(record);
    }
}

void ScriptRunner::apply_event(const EventScript::Event& event, std::vector<RecordedLock>* record) {
    using enum EventScript::EventKind;
    if (event.kind <= release) {
        if (game_.game_over_reason() != GameOverReason::none) return;
        // A piece may lock by time before the key that locks the next one.
        game_.advance_to(event.subframe);
        record_lock(record);
        if (event.kind == release) return game_.key_up(event.button);
        return game_.key_down(event.button, event.kind == press_hoisted);
    }
    const EventScript::Message& message = script_.messages_[event.message];
    if (event.kind == target) return game_.set_targets(message.players);
    if (event.kind == confirm) return game_.confirm(message.attack_id);
    game_.announce(message.attack_id, message.lines, message.acknowledged, message.hole);
}

void ScriptRunner::record_lock(std::vector<RecordedLock>* record) {
    if (!record || game_.frame_stats().pieces == recorded_pieces_) return;
    recorded_pieces_ = game_.frame_stats().pieces;
    record->push_back(
        {game_.last_lock(), game_.colored_board().grid, game_.piece().piece(), game_.held()});
}

}  // namespace sevenbag
