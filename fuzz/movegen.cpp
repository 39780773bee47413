// Boards, rotation systems, placements, paths and perft.
//
// The fast generator is held against the general one, each placement against the board it rests on
// and the keys that lead to it, and perft against the lists.
#include "movegen.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "error.hpp"
#include "expect.hpp"
#include "generators.hpp"
#include "key_path.hpp"
#include "perft.hpp"
#include "rotation.hpp"

namespace sevenbag::fuzz {

namespace {

int cells_in(const Board& board) {
    int count = 0;
    for (int y = 0; y < board.rows(); ++y) count += std::popcount(board.row(y));
    return count;
}

void check_rows(FuzzInput& input, Board board) {
    EXPECT(board.count() == cells_in(board));
    EXPECT(board.empty() == (board.height() == 0));
    int highest = 0;
    for (int x = 0; x < board.width(); ++x) highest = std::max(highest, board.column_height(x));
    EXPECT(highest == board.height());

    const Board before = board;
    const std::uint64_t cleared = board.clear_rows();
    EXPECT(board.count() == before.count() - std::popcount(cleared) * board.width());
    for (int y = 0, to = 0; y < board.rows(); ++y)
        if (!(cleared >> y & 1)) EXPECT(board.row(to++) == before.row(y));
    EXPECT(board.clear_rows() == 0);

    const int hole = input.number(0, board.width() - 1);
    const int count = input.number(0, board.rows());
    try {
        Board pushed = board;
        pushed.add_garbage(hole, count);
        EXPECT(hole >= 0 && hole < board.width() && count >= 0 && count <= board.rows());
        for (int y = 0; y < board.rows(); ++y)
            EXPECT(pushed.row(y) ==
                   (y < count ? board.full_row() & ~(1u << hole) : board.row(y - count)));
    } catch (const Error&) {
    }
}

// Apply keys one by one; return the resting position with its spin.
Placement replayed(const Board& board, Piece piece, const Kicks& kicks, Spawn spawn, SpinMode spins,
                   const std::vector<Key>& keys) {
    const bool persists = spin_rule(spins, piece).persists;
    Placement at = kicks.appear(piece, spawn.x, spawn.y);
    const auto shift = [&](int dx, int dy) {
        Placement to = at;
        to.x = static_cast<std::int8_t>(to.x + dx);
        to.y = static_cast<std::int8_t>(to.y + dy);
        if (!persists) to.spin = Spin::none;
        if (!board.fits(to)) return false;
        at = to;
        return true;
    };
    const auto turn = [&](int by) {
        const auto to = static_cast<Rotation>((static_cast<int>(at.rotation) + by) % kRotations);
        const auto turned = rotate(board, at, to, kicks, spins);
        EXPECT(turned);
        at = turned->placement;
    };
    for (Key key : keys) {
        switch (key) {
            case Key::left:
                EXPECT(shift(-1, 0));
                break;
            case Key::right:
                EXPECT(shift(1, 0));
                break;
            case Key::cw:
                turn(1);
                break;
            case Key::ccw:
                turn(3);
                break;
            case Key::flip:
                turn(2);
                break;
            case Key::soft_drop:
                EXPECT(shift(0, -1));
                break;
            case Key::sonic_drop:
            case Key::hard_drop:
                while (shift(0, -1)) {
                }
                break;
            case Key::das_left:
                while (shift(-1, 0)) {
                }
                break;
            case Key::das_right:
                while (shift(1, 0)) {
                }
                break;
        }
    }
    return at;
}

void check_path(const Board& board, const Placement& placement, const Kicks& kicks, Spawn spawn,
                SpinMode spins) {
    const auto keys = find_path(board, placement, kicks, spawn, spins);
    EXPECT(keys && keys->back() == Key::hard_drop);
    const Placement end = canonical(replayed(board, placement.piece, kicks, spawn, spins, *keys));
    const Placement wanted = canonical(placement);
    EXPECT(end.rotation == wanted.rotation && end.x == wanted.x && end.y == wanted.y);
    EXPECT(spins == SpinMode::none || end.spin == placement.spin);
    const auto followed = follow_keys(board, placement.piece, *keys, kicks, spawn, spins);
    EXPECT(followed && canonical(*followed) == end);

    // Paths that allow for gravity work from every height that the piece may have fallen to.
    KeySet all = kTapKeys;
    all.add(Key::das_left);
    all.add(Key::das_right);
    constexpr int kRows = 3;
    const auto robust = find_path(board, placement, kicks, spawn, spins, all, kRows);
    for (int rows = 0; robust && rows <= kRows; ++rows) {
        const Spawn lower{spawn.x, static_cast<std::int8_t>(spawn.y - rows)};
        const Placement start = kicks.appear(placement.piece, lower.x, lower.y);
        if (!board.fits(start)) break;
        const auto there = follow_keys(board, placement.piece, *robust, kicks, lower, spins);
        EXPECT(there && canonical(*there) == end);
    }
}

// Copies of the systems of the multi-ISA code, at addresses that it does not recognise.
const Kicks* generic_copy(const Kicks& kicks) {
    static const KickTable srs = kSrs;
    static const KickTable srs_plus = kSrsPlus;
    static const Kicks slow_srs("srs, slow", &srs);
    static const Kicks slow_srs_plus("srs+, slow", &srs_plus);
    if (&kicks.table() == &kSrs) return &slow_srs;
    if (&kicks.table() == &kSrsPlus) return &slow_srs_plus;
    return nullptr;
}

using Known = std::tuple<int, int, int, int>;

std::set<Known> known(const std::vector<Placement>& list) {
    std::set<Known> set;
    for (const Placement& p : list)
        set.insert({static_cast<int>(p.rotation), p.x, p.y, static_cast<int>(p.spin)});
    return set;
}

void check_placements(FuzzInput& input, const Board& board, Piece piece, const Kicks& kicks,
                      Spawn spawn, SpinMode spins) {
    std::vector<Placement> list;
    generate_placements(board, piece, kicks, spawn, spins, list);
    const std::set<Known> found = known(list);
    EXPECT(found.size() == list.size());
    for (const Placement& placement : list) {
        EXPECT(board.is_resting(placement));
        EXPECT(canonical(placement) == placement);
        EXPECT(spins != SpinMode::none || placement.spin == Spin::none);
    }
    if (const Kicks* twin = generic_copy(kicks)) {
        std::vector<Placement> slow;
        generate_placements(board, piece, *twin, spawn, spins, slow);
        EXPECT(found == known(slow));
    }
    // Paths are dear: a few.
    for (int i = input.between(0, 3); i > 0 && !list.empty(); --i)
        check_path(board, list[input.word(2) % list.size()], kicks, spawn, spins);

    // A place that is not in the list cannot be reached.
    const Placement other = canonical(
        {piece, input.pick<Rotation>(kRotations), static_cast<std::int8_t>(input.between(0, 15)),
         static_cast<std::int8_t>(input.between(0, 63)), input.pick<Spin>(3)});
    const auto named = [&](const Placement& p) {
        return p.rotation == other.rotation && p.x == other.x && p.y == other.y &&
               (spins == SpinMode::none || p.spin == other.spin);
    };
    EXPECT(find_path(board, other, kicks, spawn, spins).has_value() ==
           std::any_of(list.begin(), list.end(), named));
}

void check_perft(FuzzInput& input, const Board& board, const Kicks& kicks, Spawn spawn,
                 SpinMode spins) {
    const std::array<Piece, 2> queue{read_piece(input), read_piece(input)};
    std::vector<Placement> first;
    generate_placements(board, queue[0], kicks, spawn, spins, first);
    std::uint64_t leaves = 0;
    std::vector<Placement> second;
    for (const Placement& placement : first) {
        Board next = board;
        next.lock(placement);
        generate_placements(next, queue[1], kicks, spawn, spins, second);
        leaves += second.size();
    }
    EXPECT(perft(board, std::span(queue).first(1), kicks, spawn, spins) == first.size());
    EXPECT(perft(board, queue, kicks, spawn, spins) == leaves);
}

void run(FuzzInput& input) {
    const Board board = read_board(input);
    const Kicks kicks = read_kicks(input);
    const Spawn spawn = read_spawn(input, board);
    const SpinMode spins = read_spin_mode(input);
    check_rows(input, board);
    const Piece piece = read_piece(input);
    check_placements(input, board, piece, kicks, spawn, spins);
    if (board.width() <= 12 && input.flag()) check_perft(input, board, kicks, spawn, spins);

    // Sizes that no board has.
    try {
        const int width = input.number(0, 20);
        const int rows = input.number(0, 70);
        const Board odd(width, rows);
        EXPECT(odd.width() == width && odd.rows() == rows);
    } catch (const Error&) {
    }
}

}  // namespace

}  // namespace sevenbag::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    sevenbag::fuzz::FuzzInput input(data, size);
    try {
        sevenbag::fuzz::run(input);
    } catch (const sevenbag::Error&) {
        // Refused, with words: as it should be.
    }
    return 0;
}
