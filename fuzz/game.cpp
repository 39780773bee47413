// Games and versus games under any rules that `validate` accepts, with external attacks, pieces
// moved by keys, and start boards.
//
// Invariants: cells, pieces and garbage lines are neither lost nor created, and the colours match
// the cells.
#include "game.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "error.hpp"
#include "expect.hpp"
#include "falling_piece.hpp"
#include "generators.hpp"
#include "versus.hpp"

namespace sevenbag::fuzz {

namespace {

constexpr int kMaxMoves = 60;

// The pieces that a game must deal, counted against those it has.
class ExpectedPieces {
  public:
    ExpectedPieces(const Rules& rules, std::int64_t seed)
        : queue_(rules.bag, seed, rules.filled_bag, rules.opening) {}

    void check(const Game& game, std::array<int, kPieces> placed) {
        ++placed[static_cast<std::size_t>(game.current())];
        if (game.held()) ++placed[static_cast<std::size_t>(*game.held())];
        int count = 0;
        for (int n : placed) count += n;
        while (taken_ < count) {
            ++dealt_[static_cast<std::size_t>(queue_.take())];
            ++taken_;
        }
        EXPECT(placed == dealt_);
        for (int i = 0; i < game.rules().previews; ++i) EXPECT(game.preview(i) == queue_.peek(i));
    }

  private:
    PieceQueue queue_;
    int taken_ = 0;
    std::array<int, kPieces> dealt_{};
};

void check_colours(const Game& game) {
    const Board& board = game.board();
    for (int y = 0; y < board.rows(); ++y)
        for (int x = 0; x < board.width(); ++x)
            EXPECT(board.is_occupied(x, y) == (game.grid().at(x, y) != '.'));
}

void check_garbage(const Game& game) {
    const Stats& stats = game.stats();
    for (const PendingAttack& batch : game.garbage().pending()) EXPECT(batch.lines > 0);
    // Garbage beyond the absolute cap is lost.
    if (game.rules().absolute_cap == 0)
        EXPECT(stats.received ==
               stats.cancelled + stats.garbage_entered + game.garbage().pending_lines());
    EXPECT(stats.sent >= 0 && stats.sent <= stats.attack);
}

void check_lock(const Board& before, const Game& game, const LockResult& lock) {
    const int width = before.width();
    int entered = 0;
    for (HoleMask open : lock.garbage) {
        EXPECT((open & ~before.full_row()) == 0);
        entered += width - std::popcount(open);
    }
    EXPECT(lock.clear.lines == std::popcount(lock.rows));
    EXPECT(lock.clear.garbage_lines <= lock.clear.lines);
    EXPECT(lock.attacks.total() >= 0);
    EXPECT(lock.sent.total() >= 0 && lock.sent.total() <= lock.attacks.total());
    EXPECT(lock.surge >= 0 && lock.surge <= lock.attacks.total());
    EXPECT(game.is_over() == (lock.top_out != TopOut::none));
    const Rules& rules = game.rules();
    // Otherwise cells are lost at the top, or blown up.
    if (!rules.all_solid() || rules.kept_rows < rules.rows || rules.bombs) return;
    const int cells = before.count() + 4 - lock.clear.lines * width + entered;
    // Rows pushed over the top, or into the two rows that stay there, are lost.
    if (before.height() + static_cast<int>(lock.garbage.size()) + 4 + 2 <= before.rows())
        EXPECT(game.board().count() == cells);
    else
        EXPECT(game.board().count() <= cells);
}

// One of the placements; none if the list is empty.
std::optional<Game::Move> read_move(FuzzInput& input, const Game& game) {
    thread_local std::vector<Placement> list;
    game.placements(input.flag(), list);
    if (list.empty()) return std::nullopt;
    Placement placement = list[input.word(2) % list.size()];
    // A claimed spin, right or wrong, only chooses.
    if (input.byte() % 4 == 0) placement.spin = input.pick<Spin>(3);
    const Game::Move move = game.find_move(placement);
    EXPECT(move.placement.x == placement.x && move.placement.y == placement.y);
    return move;
}

void press_keys(FuzzInput& input, const Game& game) {
    try {
        FallingPiece falling(game, input.flag());
        for (int i = input.between(0, 20); i > 0; --i) {
            falling.press(input.pick<Key>(8));
            EXPECT(game.solid().fits(falling.placement()));
        }
        falling.press(Key::hard_drop);
        EXPECT(falling.is_resting());
        const Placement end = falling.placement();
        EXPECT(game.find_move(end).placement.spin == end.spin ||
               game.rules().spins.mode == SpinMode::none);
    } catch (const Error&) {
    }
}

void judge_anything(FuzzInput& input, const Game& game) {
    const Placement placement{read_piece(input), input.pick<Rotation>(kRotations),
                              static_cast<std::int8_t>(input.between(-64, 64)),
                              static_cast<std::int8_t>(input.between(-64, 120)),
                              input.pick<Spin>(3)};
    try {
        EXPECT(game.solid().is_resting(game.find_move(placement).placement));
    } catch (const Error&) {
    }
}

void play_alone(FuzzInput& input, const std::shared_ptr<const Rules>& rules) {
    const auto seed = static_cast<std::int64_t>(input.word(4));
    Game game(rules, seed, seed + 1);
    ExpectedPieces deal(*rules, seed);
    if (input.byte() % 4 == 0) {
        Board board(rules->width, rules->rows);
        fill_board(input, board);
        game.start_from(board, {input.number(0, 1000), input.number(0, 1000)});
    }
    std::array<int, kPieces> placed{};
    int frame = 0;
    for (int moves = 0; moves < kMaxMoves && !game.is_over() && !input.is_empty(); ++moves) {
        const int what = input.byte();
        if (what % 4 == 0) {
            try {
                game.receive(input.number(0, 12), input.number(0, frame + 1));
            } catch (const Error&) {
            }
        }
        if (what % 8 == 1) press_keys(input, game);
        if (what % 8 == 2) judge_anything(input, game);
        frame += input.byte() % 32 == 0 ? input.between(0, kMaxFrame / 8) : input.byte();
        if (frame > kMaxFrame) return;
        const auto move = read_move(input, game);
        if (!move) return;
        const Board before = game.board();
        const LockResult& lock = game.play(*move, frame);
        ++placed[static_cast<std::size_t>(move->placement.piece)];
        check_lock(before, game, lock);
        check_garbage(game);
        check_colours(game);
        if (lock.top_out != TopOut::lock_out && lock.top_out != TopOut::garbage_out)
            deal.check(game, placed);
    }
}

void play_versus(FuzzInput& input, const std::shared_ptr<const Rules>& rules) {
    Versus versus(rules, static_cast<std::int64_t>(input.word(4)), input.number(0, 600));
    for (int turn = 0; turn < kMaxMoves && !versus.is_over() && !input.is_empty(); ++turn) {
        const auto first = read_move(input, versus.player(0));
        const auto second = read_move(input, versus.player(1));
        if (!first || !second) return;
        versus.play(*first, *second);
        for (int i : {0, 1}) {
            check_garbage(versus.player(i));
            check_colours(versus.player(i));
            EXPECT(versus.player(i).stats().sent == versus.player(1 - i).stats().received);
        }
    }
}

// Piece queues alone: many pieces, and the remaining bag.
void deal_pieces(FuzzInput& input) {
    const auto kind = input.pick<Randomizer>(9);
    PieceQueue queue(kind, static_cast<std::int64_t>(input.word()));
    const int sight = input.between(0, kMaxPreviews);
    for (int i = input.between(0, 200); i > 0; --i) {
        const Piece next = queue.peek(0);
        const Piece seen = queue.peek(1);
        if (queue.has_bag()) {
            int left = 0;
            for (int copies : queue.remaining_in_bag(sight)) left += copies;
            EXPECT(left >= 1 && left <= kMaxBagPieces);
        }
        EXPECT(queue.take() == next);
        EXPECT(queue.peek(0) == seen);
    }
}

void run(FuzzInput& input) {
    const int kind = input.byte() % 8;
    if (kind == 0) return deal_pieces(input);
    const auto rules = std::make_shared<const Rules>(read_rules(input));
    kind < 5 ? play_alone(input, rules) : play_versus(input, rules);
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
