#include "pc/record_writer.hpp"

#include <span>
#include <utility>

#include "dispatch.hpp"
#include "pc/pc_file.hpp"

namespace sevenbag::pc {

namespace {

class RecordVisitor final : public SequenceVisitor {
  public:
    RecordVisitor(const Tablebase& tablebase, const MoveTables& motion)
        : tablebase_(tablebase), motion_(motion) {}

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
        const MoveTable& motion = motion_.of(piece);
        const RestPosition landing = dispatch_table().find_rest_position(
            motion, graph.layers[layer].boards[board], graph.layers[layer + 1].boards[child],
            graph.height);
        const Cell centre = motion.centre[landing.rotation];
        return {piece, static_cast<Rotation>(landing.rotation),
                static_cast<std::int8_t>(landing.corner % kFieldWidth + centre.x),
                static_cast<std::int8_t>(landing.corner / kFieldWidth + centre.y)};
    }

    const Tablebase& tablebase_;
    const MoveTables& motion_;
};

}  // namespace

RecordWriter::RecordWriter(const Tablebase& tablebase)
    : tablebase_(tablebase), motion_(tablebase.kicks()), block_solver_(tablebase, true) {}

std::vector<std::uint8_t> RecordWriter::records(std::size_t block) {
    RecordVisitor writer(tablebase_, motion_);
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
