// Bindings of game batches and random playouts; the public interface is in sevenbag.envs.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <mutex>
#include <string>

#include "arguments.hpp"
#include "error.hpp"
#include "falling_piece.hpp"
#include "game_batch.hpp"
#include "parallel.hpp"
#include "playout.hpp"

namespace nb = nanobind;

namespace sevenbag::bind {

namespace {

// The caller's arrays are written in place, without conversion.
template <class T>
using Array = nb::ndarray<T, nb::c_contig, nb::device::cpu>;

template <class T>
T* data_of(const Array<T>& array, const char* name, std::size_t size) {
    if (array.size() != size)
        throw_invalid(ErrorKind::rules, name, std::to_string(size) + " items",
                      std::to_string(array.size()));
    return array.data();
}

// Lock of a batch: Python threads may share it, and run while it is stepped.
struct LockedGameBatch : GameBatch {
    using GameBatch::GameBatch;
    mutable std::mutex busy;
};
using BatchLock = std::lock_guard<std::mutex>;

struct Observed {
    Array<std::uint8_t> boards;
    Array<std::uint8_t> pieces;
    Array<std::int32_t> counters;
    Array<std::int8_t> masks;
};

ObservationArrays arrays_of(const GameBatch& batch, const Observed& o) {
    const auto agents = static_cast<std::size_t>(batch.agents());
    const std::size_t shown = agents * static_cast<std::size_t>(batch.players());
    const ActionSpace& a = batch.actions();
    return {data_of(o.boards, "boards", shown * static_cast<std::size_t>(a.rows * a.width)),
            data_of(o.pieces, "pieces", shown * static_cast<std::size_t>(batch.observed_pieces())),
            data_of(o.counters, "counters", shown * GameBatch::kCounters),
            data_of(o.masks, "masks", agents * static_cast<std::size_t>(a.size()))};
}

void check_index(const char* name, int value, int count) { check_range(name, value, 0, count - 1); }

RewardWeights weights_from(const nb::dict& data) {
    RewardWeights weights{};
    weights.sent = 0;
    for (auto [key, value] : data) {
        const auto name = nb::cast<std::string>(nb::str(key));
        const auto weight = nb::cast<double>(value);
        if (name == "attack")
            weights.attack = weight;
        else if (name == "sent")
            weights.sent = weight;
        else if (name == "cancelled")
            weights.cancelled = weight;
        else if (name == "lines")
            weights.lines = weight;
        else if (name == "garbage")
            weights.garbage = weight;
        else if (name == "placement")
            weights.placement = weight;
        else if (name == "perfect_clear")
            weights.perfect_clear = weight;
        else if (name == "win")
            weights.win = weight;
        else if (name == "loss")
            weights.loss = weight;
        else
            throw_invalid(ErrorKind::rules, "reward", "a known event", "'" + name + "'");
    }
    return weights;
}

nb::dict dict_of(const PlayoutResult& p) {
    nb::dict d;
    d["games"] = p.games;
    d["placements"] = p.placements;
    d["holds"] = p.holds;
    d["lines"] = p.lines;
    d["spins"] = p.spins;
    d["attack"] = p.attack;
    d["garbage"] = p.garbage;
    d["first_wins"] = p.first_wins;
    d["second_wins"] = p.second_wins;
    d["draws"] = p.draws;
    d["unfinished"] = p.unfinished;
    return d;
}

}  // namespace

void bind_game_batch(nb::module_& m) {
    nb::class_<LockedGameBatch>(m, "GameBatch")
        .def(
            "__init__",
            [](LockedGameBatch* self, const Rules& rules, int games, int players, int rows,
               bool separate_spins, int frames_per_turn, int max_pieces, const nb::dict& weights) {
                new (self) LockedGameBatch(std::make_shared<const Rules>(rules),
                                           {games, players, rows, separate_spins, frames_per_turn,
                                            max_pieces, weights_from(weights)});
            },
            nb::arg("rules"), nb::arg("games"), nb::arg("players"), nb::arg("rows"),
            nb::arg("separate_spins"), nb::arg("frames_per_turn"), nb::arg("max_pieces"),
            nb::arg("weights"))
        .def_prop_ro("action_shape",
                     [](const LockedGameBatch& batch) {
                         const ActionSpace& a = batch.actions();
                         return nb::make_tuple(a.holds, a.spins, kRotations, a.rows, a.width);
                     })
        .def_prop_ro("observed_pieces",
                     [](const LockedGameBatch& batch) { return batch.observed_pieces(); })
        .def(
            "game",
            [](const LockedGameBatch& batch, int agent) {
                check_index("agent", agent, batch.agents());
                const BatchLock turn(batch.busy);
                return Game(batch.game(agent));
            },
            nb::arg("agent"))
        .def(
            "has_ended",
            [](const LockedGameBatch& batch, int game) {
                check_index("game", game, batch.games());
                const BatchLock turn(batch.busy);
                return batch.has_ended(game);
            },
            nb::arg("game"))
        .def(
            "seed",
            [](const LockedGameBatch& batch, int game) {
                check_index("game", game, batch.games());
                const BatchLock turn(batch.busy);
                return batch.seed(game);
            },
            nb::arg("game"))
        .def(
            "find_move",
            [](const LockedGameBatch& batch, int agent, std::int64_t action) -> nb::object {
                check_index("agent", agent, batch.agents());
                const BatchLock turn(batch.busy);
                const auto move = batch.move(agent, action);
                if (!move) return nb::none();
                return nb::make_tuple(move->placement, move->hold);
            },
            nb::arg("agent"), nb::arg("action"))
        .def(
            "reset",
            [](LockedGameBatch& batch, int game, std::int64_t seed) {
                check_index("game", game, batch.games());
                const BatchLock turn(batch.busy);
                batch.reset(game, seed);
            },
            nb::arg("game"), nb::arg("seed"))
        .def(
            "observe",
            [](const LockedGameBatch& batch, int threads, Array<std::uint8_t> boards,
               Array<std::uint8_t> pieces, Array<std::int32_t> counters, Array<std::int8_t> masks) {
                check_threads(threads, ErrorKind::rules);
                const ObservationArrays arrays =
                    arrays_of(batch, {boards, pieces, counters, masks});
                const nb::gil_scoped_release others_run;
                const BatchLock turn(batch.busy);
                batch.observe_all(threads, arrays);
            },
            nb::arg("threads"), nb::arg("boards").noconvert(), nb::arg("pieces").noconvert(),
            nb::arg("counters").noconvert(), nb::arg("masks").noconvert())
        .def(
            "step",
            [](LockedGameBatch& batch, Array<const std::int64_t> actions, bool next, int threads,
               Array<std::uint8_t> boards, Array<std::uint8_t> pieces, Array<std::int32_t> counters,
               Array<std::int8_t> masks, Array<double> rewards, Array<bool> terminated,
               Array<bool> truncated) {
                check_threads(threads, ErrorKind::rules);
                const auto agents = static_cast<std::size_t>(batch.agents());
                const std::int64_t* chosen = data_of(actions, "actions", agents);
                const ObservationArrays arrays =
                    arrays_of(batch, {boards, pieces, counters, masks});
                const StepArrays outcome{data_of(rewards, "rewards", agents),
                                         data_of(terminated, "terminated", agents),
                                         data_of(truncated, "truncated", agents)};
                const nb::gil_scoped_release others_run;
                const BatchLock turn(batch.busy);
                batch.step(chosen, next, threads, arrays, outcome);
            },
            nb::arg("actions"), nb::arg("autoreset"), nb::arg("threads"),
            nb::arg("boards").noconvert(), nb::arg("pieces").noconvert(),
            nb::arg("counters").noconvert(), nb::arg("masks").noconvert(),
            nb::arg("rewards").noconvert(), nb::arg("terminated").noconvert(),
            nb::arg("truncated").noconvert())
        .def(
            "reset_ended",
            [](LockedGameBatch& batch, Array<std::uint8_t> boards, Array<std::uint8_t> pieces,
               Array<std::int32_t> counters, Array<std::int8_t> masks) {
                const ObservationArrays arrays =
                    arrays_of(batch, {boards, pieces, counters, masks});
                const nb::gil_scoped_release others_run;
                const BatchLock turn(batch.busy);
                batch.reset_ended(arrays);
            },
            nb::arg("boards").noconvert(), nb::arg("pieces").noconvert(),
            nb::arg("counters").noconvert(), nb::arg("masks").noconvert())
        .def(
            "sample_actions",
            [](const LockedGameBatch& batch, std::uint64_t seed, Array<std::int64_t> actions) {
                const BatchLock turn(batch.busy);
                SplitMix64 random(seed);
                batch.sample_actions(
                    random, data_of(actions, "actions", static_cast<std::size_t>(batch.agents())));
            },
            nb::arg("seed"), nb::arg("actions").noconvert());

    nb::class_<FallingPiece>(m, "FallingPiece")
        .def(nb::init<const Game&, bool>(), nb::arg("game"), nb::arg("hold"))
        .def("copy", [](const FallingPiece& falling) { return FallingPiece(falling); })
        .def_prop_ro("placement", [](const FallingPiece& falling) { return falling.placement(); })
        .def_prop_ro("is_resting", &FallingPiece::is_resting)
        .def("press", &FallingPiece::press, nb::arg("key"));

    m.def(
        "play_random_versus",
        [](const Rules& rules, std::uint64_t seed, int games, int frames_per_turn, int hold_one_in,
           int draws, int max_turns, int threads) {
            const PlayoutOptions options{games, frames_per_turn, hold_one_in,
                                         draws, max_turns,       threads};
            auto shared = std::make_shared<const Rules>(rules);
            PlayoutResult sum;
            {
                const nb::gil_scoped_release others_run;
                sum = play_random_versus(std::move(shared), seed, options);
            }
            return dict_of(sum);
        },
        nb::arg("rules"), nb::arg("seed"), nb::arg("games"), nb::kw_only(),
        nb::arg("frames_per_turn") = 30, nb::arg("hold_one_in") = 8, nb::arg("samples") = 1,
        nb::arg("max_turns") = 10000, nb::arg("threads") = 1);
}

}  // namespace sevenbag::bind
