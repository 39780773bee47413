#include "pc/setup.hpp"

#include <bit>
#include <string>

#include "error.hpp"
#include "pc/packed_rows.hpp"

namespace sevenbag::pc {

Setup::Setup(const Board& board, std::int64_t lines, const Kicks& kicks, bool hold, DropMode drop)
    : kicks_(kicks), move_tables_(kicks), board_(board), setup_board_{} {
    if (board.width() != kSmallBoardWidth)
        throw_invalid(ErrorKind::board, "board", "10 columns", std::to_string(board.width()));
    check_range("height", static_cast<double>(lines), 1, kMaxRows, ErrorKind::board);
    if (board.height() > lines)
        throw_invalid(ErrorKind::board, "field",
                      "at most " + std::to_string(lines) + " rows, as many as to clear",
                      std::to_string(board.height()));
    const int height = static_cast<int>(lines) - std::popcount(board_.clear_rows());
    if (height > kSmallBoardRows)
        throw_invalid(ErrorKind::board, "field",
                      "at most " + std::to_string(kSmallBoardRows) + " rows to fill",
                      std::to_string(height));
    std::uint64_t filled = 0;
    for (int y = 0; y < height; ++y)
        filled |= std::uint64_t{board_.row(y)} << (y * kSmallBoardWidth);
    const int empty = height * kSmallBoardWidth - std::popcount(filled);
    if (empty % 4 != 0)
        throw_invalid(ErrorKind::board, "field", "a multiple of four empty cells",
                      std::to_string(empty) + " in " + std::to_string(lines) + " rows");
    setup_board_ = {&move_tables_, filled, height, empty / 4, hold, drop};
}

SolvableQueues Setup::solvable(const QueueAutomaton& queues, StopCheck stop_check) const {
    const int max = setup_board_.needed + (setup_board_.hold ? 1 : 0);
    if (setup_board_.needed > 0 && (queues.length() < setup_board_.needed || queues.length() > max))
        throw_invalid(ErrorKind::queue, "length of the queues",
                      std::to_string(setup_board_.needed) + " to " + std::to_string(max),
                      std::to_string(queues.length()));
    return find_solvable_queues(setup_board_, queues, stop_check);
}

}  // namespace sevenbag::pc
