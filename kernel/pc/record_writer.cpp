#include "pc/record_writer.hpp"

#include <span>
#include <utility>

#include "dispatch.hpp"
#include "pc/pc_file.hpp"

namespace sevenbag::pc {

namespace {

class RecordVisitor final : public SequenceVisitor {
  public:
    RecordVisitor(const Tablebase& tablebase, const MoveTables& move_tables)
        : tablebase_(tablebase), move_tables_(move_tables) {}

    void unsolvable(const Letters&) override {}

    void solved(const Letters& letters, std::span<const State> path) override {
        PcRecord record{};
        record.length = tablebase_.length();
        for (std::size_t i = 0; i < static_cast<std::size_t>(record.length); ++i)
            record.sequence[i] = kLetters[letters[i]];
        for (std::size_t i = 0; i + 1 < path.size(); ++i) {
            const int held = held_of(path[i]), kept = held_of(path[i + 1]);
            const bool hold = kept != held;
            if (hold) record.holds = static_cast<std::uint16_t>(record.holds | 1u << i);
            const Piece piece = kLetters[hold ? static_cast<std::size_t>(held) : letters[i + 1]];
            record.placements[i] = placement(piece, i, board_of(path[i]), board_of(path[i + 1]));
        }
        std::uint8_t bytes[kPcMaxRecordBytes];
        const int count = write_pc_record(record, bytes);
        records.insert(records.end(), bytes, bytes + count);
    }

    std::vector<std::uint8_t> records;

  private:
    Placement placement(Piece piece, std::size_t layer, std::uint32_t board,
                        std::uint32_t child) const {
        const Graph& graph = tablebase_.graph();
        const MoveTable& move_table = move_tables_.of(piece);
        const RestPosition rest_position = dispatch_table().find_rest_position(
            move_table, graph.layers[layer].boards[board], graph.layers[layer + 1].boards[child],
            graph.height);
        const Cell centre = move_table.centre[rest_position.rotation];
        return {piece, static_cast<Rotation>(rest_position.rotation),
                static_cast<std::int8_t>(rest_position.corner % kSmallBoardWidth + centre.x),
                static_cast<std::int8_t>(rest_position.corner / kSmallBoardWidth + centre.y)};
    }

    const Tablebase& tablebase_;
    const MoveTables& move_tables_;
};

}  // namespace

RecordWriter::RecordWriter(const Tablebase& tablebase)
    : tablebase_(tablebase), move_tables_(tablebase.kicks()), block_solver_(tablebase, true) {}

std::vector<std::uint8_t> RecordWriter::records(std::size_t block) {
    RecordVisitor writer(tablebase_, move_tables_);
    block_solver_.run(block, writer);
    return std::move(writer.records);
}

std::vector<std::int64_t> block_sizes(int length) {
    SequenceCounter counter;
    std::vector<std::int64_t> sizes;
    for (const auto& block : list_blocks()) sizes.push_back(counter.count_from(block, length));
    return sizes;
}

}  // namespace sevenbag::pc
