#include "pc/setup.hpp"

#include <bit>
#include <string>

#include "error.hpp"
#include "pc/packed_rows.hpp"

namespace sevenbag::pc {

Setup::Setup(const Board& board, std::int64_t lines, const Kicks& kicks, bool hold, DropMode drop)
    : kicks_(kicks), move_tables_(kicks), board_(board), setup_board_{} {
    if (board.width() != kSmallBoardWidth)
        throw Error(ErrorKind::board, "perfect clears are of boards of 10 columns, this one has " +
                                          std::to_string(board.width()));
    if (lines < 1 || lines > kMaxRows)
        throw Error(ErrorKind::board, std::to_string(lines) + " rows to clear, expected 1 to " +
                                          std::to_string(kMaxRows));
    if (board.height() > lines)
        throw Error(ErrorKind::board, "the field is filled up to row " +
                                          std::to_string(board.height()) + " from below, " +
                                          std::to_string(lines) + " are to be cleared");
    const int height = static_cast<int>(lines) - std::popcount(board_.clear_rows());
    if (height > kSmallBoardRows)
        throw Error(ErrorKind::board, std::to_string(height) + " rows to fill, at most " +
                                          std::to_string(kSmallBoardRows) + " are looked at");
    std::uint64_t filled = 0;
    for (int y = 0; y < height; ++y)
        filled |= std::uint64_t{board_.row(y)} << (y * kSmallBoardWidth);
    const int empty = height * kSmallBoardWidth - std::popcount(filled);
    if (empty % 4 != 0)
        throw Error(ErrorKind::board, std::to_string(empty) + " cells are empty in the " +
                                          std::to_string(lines) +
                                          " rows to clear: pieces of four cells cannot fill them");
    setup_board_ = {&move_tables_, filled, height, empty / 4, hold, drop};
}

SolvableQueues Setup::solvable(const QueueAutomaton& queues, StopCheck stop_check) const {
    const int max = setup_board_.needed + (setup_board_.hold ? 1 : 0);
    if (setup_board_.needed > 0 && (queues.length() < setup_board_.needed || queues.length() > max))
        throw Error(ErrorKind::queue,
                    "queues of " + std::to_string(queues.length()) + " pieces; " +
                        std::to_string(setup_board_.needed) + " are placed" +
                        (setup_board_.hold ? ", with hold out of one more at most" : ""));
    return find_solvable_queues(setup_board_, queues, stop_check);
}

}  // namespace sevenbag::pc
