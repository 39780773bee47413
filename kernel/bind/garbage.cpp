// Bindings of garbage queues and in-flight attacks, for callers with their own frame counter.
#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "arguments.hpp"
#include "conversions.hpp"
#include "error.hpp"
#include "game.hpp"
#include "garbage.hpp"
#include "in_flight_attacks.hpp"

namespace nb = nanobind;

namespace sevenbag::bind {

namespace {

// A garbage queue with its rules.
struct BoundGarbageQueue {
    BoundGarbageQueue(const Rules& r, std::int64_t seed) : rules(r), queue(r, seed) {}

    Rules rules;
    GarbageQueue queue;
};

void check_attack(const BoundGarbageQueue& waiting, int lines, int hole) {
    check_range("lines", lines, 0, kMaxAttack);
    check_range("hole", hole, -1, waiting.rules.width - 1);
}

nb::tuple cancel(BoundGarbageQueue& waiting, const std::vector<int>& attacks, int piece_number) {
    check_range("number of attacks", static_cast<double>(attacks.size()), 0, AttackList::kMaxItems);
    AttackList list;
    for (int lines : attacks) {
        check_range("attack", lines, 0, kMaxAttack);
        list.add(lines);
    }
    const CancelResult outcome = waiting.queue.cancel(waiting.rules, list, piece_number);
    return nb::make_tuple(tuple_of(outcome.sent), outcome.cancelled);
}

nb::tuple enter(BoundGarbageQueue& waiting, int frame, int cap, bool hard_drop) {
    Game::check_frame(frame);
    std::vector<HoleMask> rows;
    waiting.queue.enter(waiting.rules, frame, hard_drop ? LockCause::hard_drop : LockCause::timeout,
                        cap, rows);
    waiting.queue.count_lock(waiting.rules);
    return open_columns_of(rows);
}

}  // namespace

void bind_garbage(nb::module_& m) {
    nb::class_<BoundGarbageQueue>(m, "GarbageQueue")
        .def(
            "__init__",
            [](BoundGarbageQueue* self, const Rules& rules, std::int64_t seed) {
                new (self) BoundGarbageQueue(rules, seed);
            },
            nb::arg("rules"), nb::arg("seed"))
        .def(
            "receive",
            [](BoundGarbageQueue& w, int lines, int frame, int hole) {
                check_attack(w, lines, hole);
                Game::check_frame(frame);
                w.queue.receive(w.rules, lines, frame, hole);
            },
            nb::arg("lines"), nb::arg("frame"), nb::arg("hole") = -1)
        .def(
            "announce",
            [](BoundGarbageQueue& w, int sender, int number, int lines, int hole) {
                check_attack(w, lines, hole);
                w.queue.announce(w.rules, {sender, number}, lines, hole);
            },
            nb::arg("sender"), nb::arg("number"), nb::arg("lines"), nb::arg("hole") = -1)
        .def(
            "confirm",
            [](BoundGarbageQueue& w, int sender, int number, int frame) {
                Game::check_frame(frame);
                return w.queue.confirm(w.rules, {sender, number}, frame);
            },
            nb::arg("sender"), nb::arg("number"), nb::arg("frame"))
        .def("cancel", &cancel, nb::arg("attacks"), nb::arg("piece_number"))
        .def("enter", &enter, nb::arg("frame"), nb::arg("cap"), nb::arg("hard_drop") = true)
        .def_prop_ro("pending", [](const BoundGarbageQueue& w) {
            nb::list items;
            for (const PendingAttack& attack : w.queue.pending())
                items.append(nb::cast(attack.lines));
            return nb::tuple(items);
        });

    nb::class_<InFlightAttacks>(m, "InFlightAttacks")
        .def(nb::init<>())
        .def(
            "send",
            [](InFlightAttacks& c, int player, int lines) {
                check_range("lines", lines, 0, kMaxAttack);
                return c.send(player, lines);
            },
            nb::arg("player"), nb::arg("lines"))
        .def(
            "receive",
            [](InFlightAttacks& c, int player, int number, int lines, int acknowledged) {
                check_range("lines", lines, 0, kMaxAttack);
                return c.receive(player, number, lines, acknowledged);
            },
            nb::arg("player"), nb::arg("number"), nb::arg("lines"), nb::arg("acknowledged"))
        .def("last_received", &InFlightAttacks::received, nb::arg("player"))
        .def("lines_in_flight", &InFlightAttacks::lines_in_flight, nb::arg("player"));
}

}  // namespace sevenbag::bind
