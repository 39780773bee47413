#include "pc/question.hpp"

#include <bit>
#include <string>

#include "error.hpp"
#include "pc/rows.hpp"

namespace sevenbag::pc {

Question::Question(const Board& board, std::int64_t lines, const Kicks& kicks, bool hold, Drop drop)
    : kicks_(kicks), motion_(kicks), board_(board), ground_{} {
    if (board.width() != kFieldWidth)
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
    if (height > kFieldRows)
        throw Error(ErrorKind::board, std::to_string(height) + " rows to fill, at most " +
                                          std::to_string(kFieldRows) + " are looked at");
    std::uint64_t filled = 0;
    for (int y = 0; y < height; ++y) filled |= std::uint64_t{board_.row(y)} << (y * kFieldWidth);
    const int empty = height * kFieldWidth - std::popcount(filled);
    if (empty % 4 != 0)
        throw Error(ErrorKind::board, std::to_string(empty) + " cells are empty in the " +
                                          std::to_string(lines) +
                                          " rows to clear: pieces of four cells cannot fill them");
    ground_ = {&motion_, filled, height, empty / 4, hold, drop};
}

Chance Question::chance(const QueueGraph& queues, Watch watch) const {
    const int most = ground_.needed + (ground_.hold ? 1 : 0);
    if (ground_.needed > 0 && (queues.length() < ground_.needed || queues.length() > most))
        throw Error(ErrorKind::queue,
                    "queues of " + std::to_string(queues.length()) + " pieces; " +
                        std::to_string(ground_.needed) + " are placed" +
                        (ground_.hold ? ", with hold out of one more at most" : ""));
    return find_chance(ground_, queues, watch);
}

}  // namespace sevenbag::pc
