#include "pc/pc_file.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "board.hpp"
#include "dispatch.hpp"
#include "error.hpp"
#include "movegen.hpp"

namespace sevenbag {

namespace {

// The format has its own numbering of the pieces.
constexpr Piece kPieceOf[kPieces] = {Piece::I, Piece::O, Piece::T, Piece::S,
                                     Piece::Z, Piece::L, Piece::J};
constexpr int kEnd = 7;  // in place of a piece
constexpr int kPieceBits = 3;
constexpr int kWidth = pc::kSmallBoardWidth;
constexpr int kPlaces = 64;
constexpr std::uint64_t kFullRow = 0x3ff;

constexpr int number_of(Piece piece) {
    for (int n = 0; n < kPieces; ++n)
        if (kPieceOf[n] == piece) return n;
    return kEnd;
}

std::uint64_t sequence_bits(const std::uint8_t* bytes) {
    std::uint64_t bits = 0;
    for (int i = 0; i < kPcSequenceBytes; ++i) bits |= std::uint64_t{bytes[i]} << (8 * i);
    return bits;
}

int piece_number(std::uint64_t sequence, int i) {
    return static_cast<int>(sequence >> (kPieceBits * i) & 7);
}

int sequence_length(std::uint64_t sequence) {
    constexpr std::uint64_t kLowBits = 0x249249249249;  // the lowest bit of each piece
    const std::uint64_t ends = sequence & sequence >> 1 & sequence >> 2 & kLowBits;
    return ends ? std::countr_zero(ends) / kPieceBits : kPcSequence;
}

int bytes_of_length(int length) { return kPcHeadBytes + (length > 0 ? length - 1 : 0); }

Placement placement_of(int piece, std::uint8_t byte) {
    const int place = byte >> 2;
    return {kPieceOf[piece], static_cast<Rotation>(byte & 3),
            static_cast<std::int8_t>(place % kWidth), static_cast<std::int8_t>(place / kWidth)};
}

// Meaning of a placement byte for a small board (see move_tables.hpp).
struct DecodedPlacement {
    std::uint64_t cells;  // 0 if not all of them are in the six rows
    std::uint8_t corner;
    std::uint8_t look;  // of rotations that look alike the first
    bool outside;       // of the walls or below the floor
};

DecodedPlacement step_of(int piece, std::uint8_t byte) {
    const Cells cells = cells_of(placement_of(piece, byte));
    DecodedPlacement step{};
    int left = kWidth, bottom = pc::kSmallBoardRows;
    bool tall = false;
    for (Cell c : cells) {
        step.outside = step.outside || c.x < 0 || c.x >= kWidth || c.y < 0;
        tall = tall || c.y >= pc::kSmallBoardRows;
        left = std::min<int>(left, c.x);
        bottom = std::min<int>(bottom, c.y);
    }
    if (step.outside || tall) return step;
    for (Cell c : cells) step.cells |= std::uint64_t{1} << (c.y * kWidth + c.x);
    step.corner = static_cast<std::uint8_t>(bottom * kWidth + left);
    const bool round = kPieceOf[piece] == Piece::O;
    const bool twins =
        kPieceOf[piece] == Piece::I || kPieceOf[piece] == Piece::S || kPieceOf[piece] == Piece::Z;
    step.look = static_cast<std::uint8_t>(round ? 0 : twins ? byte & 1 : byte & 3);
    return step;
}

using DecodedPlacements = std::array<std::array<DecodedPlacement, kPlaces * kRotations>, kPieces>;

const DecodedPlacements& steps() {
    static const DecodedPlacements all = [] {
        DecodedPlacements made{};
        for (int piece = 0; piece < kPieces; ++piece)
            for (int byte = 0; byte < kPlaces * kRotations; ++byte)
                made[static_cast<std::size_t>(piece)][static_cast<std::size_t>(byte)] =
                    step_of(piece, static_cast<std::uint8_t>(byte));
        return made;
    }();
    return all;
}

std::uint64_t without_full_rows(std::uint64_t filled) {
    const std::uint64_t two = filled & filled >> 1;
    const std::uint64_t four = two & two >> 2;
    constexpr std::uint64_t kFirstColumn =
        1 | 1ull << 10 | 1ull << 20 | 1ull << 30 | 1ull << 40 | 1ull << 50;
    std::uint64_t full = four & four >> 4 & two >> 8 & kFirstColumn;
    for (; full; full ^= std::bit_floor(full)) {
        const std::uint64_t below = std::bit_floor(full) - 1;
        filled = (filled & below) | (filled >> kWidth & ~below);
    }
    return filled;
}

// The piece of each placement, one after another.
class PieceOrder {
  public:
    PieceOrder(std::uint64_t sequence, unsigned holds) : sequence_(sequence), holds_(holds) {
        held_ = piece_number(sequence, 0);
    }

    int operator()(int i) {
        int piece = piece_number(sequence_, i + 1);
        if (holds_ >> i & 1) std::swap(piece, held_);
        return piece;
    }

  private:
    std::uint64_t sequence_;
    unsigned holds_;
    int held_;
};

unsigned holds_of(const std::uint8_t* bytes) {
    return static_cast<unsigned>(bytes[kPcSequenceBytes]) |
           static_cast<unsigned>(bytes[kPcSequenceBytes + 1]) << 8;
}

}  // namespace

int pc_record_bytes(const std::uint8_t* bytes) {
    return bytes_of_length(sequence_length(sequence_bits(bytes)));
}

PcRecord read_pc_record(const std::uint8_t* bytes) {
    const std::uint64_t sequence = sequence_bits(bytes);
    PcRecord record{};
    record.length = sequence_length(sequence);
    record.holds = static_cast<std::uint16_t>(holds_of(bytes));
    for (int i = 0; i < record.length; ++i)
        record.sequence[static_cast<std::size_t>(i)] = kPieceOf[piece_number(sequence, i)];
    PieceOrder pieces(sequence, record.holds);
    for (int i = 0; i < record.placement_count(); ++i)
        record.placements[static_cast<std::size_t>(i)] =
            placement_of(pieces(i), bytes[kPcHeadBytes + i]);
    return record;
}

int write_pc_record(const PcRecord& record, std::uint8_t* bytes) {
    check_range("length of the sequence", record.length, 2, kPcSequence, ErrorKind::queue);
    std::uint64_t sequence = 0;
    for (int i = 0; i < kPcSequence; ++i) {
        const int number =
            i < record.length ? number_of(record.sequence[static_cast<std::size_t>(i)]) : kEnd;
        sequence |= static_cast<std::uint64_t>(number) << (kPieceBits * i);
    }
    for (int i = 0; i < kPcSequenceBytes; ++i)
        bytes[i] = static_cast<std::uint8_t>(sequence >> (8 * i));
    bytes[kPcSequenceBytes] = static_cast<std::uint8_t>(record.holds);
    bytes[kPcSequenceBytes + 1] = static_cast<std::uint8_t>(record.holds >> 8);
    PieceOrder pieces(sequence, record.holds);
    for (int i = 0; i < record.placement_count(); ++i) {
        const Placement& p = record.placements[static_cast<std::size_t>(i)];
        const Piece wanted = kPieceOf[pieces(i)];
        const std::string where = "placement " + std::to_string(i + 1);
        if (p.piece != wanted)
            throw_invalid(ErrorKind::placement, where, std::string("piece ") + letter(wanted),
                          std::string(1, letter(p.piece)));
        const int place = p.x + kWidth * p.y;
        if (p.x < 0 || p.x >= kWidth || p.y < 0 || place >= kPlaces)
            throw_invalid(ErrorKind::placement, where,
                          "a centre in columns 0 to 9 and rows 0 to 5 (in row 6, columns 0 to 3)",
                          "x " + std::to_string(p.x) + ", y " + std::to_string(p.y));
        bytes[kPcHeadBytes + i] =
            static_cast<std::uint8_t>(place << 2 | static_cast<int>(p.rotation));
    }
    return bytes_of_length(record.length);
}

PcValidator::PcValidator(std::span<const Kicks> systems, bool allow_early_clear)
    : allow_early_clear_(allow_early_clear) {
    for (const Kicks& kicks : systems) systems_.push_back({kicks, pc::MoveTables(kicks)});
}

PcScanResult PcValidator::run(std::span<const std::uint8_t> bytes) const {
    PcScanResult run;
    while (bytes.size() - run.bytes >= kPcSequenceBytes) {
        const std::uint8_t* record = bytes.data() + run.bytes;
        const auto size = static_cast<std::size_t>(pc_record_bytes(record));
        if (bytes.size() - run.bytes < size) break;
        run.fault = fault_of(record, systems_.empty() ? nullptr : &systems_[0], run.placement);
        // A record that is invalid under one system may be valid under another.
        for (std::size_t s = 1; s < systems_.size() && run.fault == PcFault::unreachable; ++s)
            run.fault = fault_of(record, &systems_[s], run.placement);
        run.bytes += size;
        if (run.fault != PcFault::none) return run;
        ++run.records;
    }
    return run;
}

PcFault PcValidator::fault_of(const std::uint8_t* bytes, const System* system, int& i) const {
    const std::uint64_t sequence = sequence_bits(bytes);
    const int count = sequence_length(sequence) - 1;
    i = 0;
    if (count < 1) return PcFault::no_placement;
    PieceOrder pieces(sequence, holds_of(bytes));
    std::uint64_t filled = 0;
    for (; i < count; ++i) {
        if (i > 0 && filled == 0 && !allow_early_clear_) return PcFault::cleared_early;
        const int piece = pieces(i);
        const DecodedPlacement& step =
            steps()[static_cast<std::size_t>(piece)][bytes[kPcHeadBytes + i]];
        if (step.outside) return PcFault::outside;
        if (step.cells == 0) return fault_on_board(bytes, system, i);
        if (step.cells & filled) return PcFault::overlap;
        if (!(step.cells & (filled << kWidth | kFullRow))) return PcFault::floating;
        if (system && !system->reaches(filled, kPieceOf[piece], step.look, step.corner))
            return PcFault::unreachable;
        filled = without_full_rows(filled | step.cells);
    }
    i = count - 1;
    return filled == 0 ? PcFault::none : PcFault::not_cleared;
}

PcFault PcValidator::fault_on_board(const std::uint8_t* bytes, const System* system, int& i) const {
    const std::uint64_t sequence = sequence_bits(bytes);
    const int count = sequence_length(sequence) - 1;
    // No position of a record is above row 6, so no piece rises above row 8.
    Board board(kWidth, 24);
    PieceOrder pieces(sequence, holds_of(bytes));
    for (i = 0; i < count; ++i) {
        if (i > 0 && board.empty() && !allow_early_clear_) return PcFault::cleared_early;
        const Placement placement = placement_of(pieces(i), bytes[kPcHeadBytes + i]);
        for (Cell c : cells_of(placement))
            if (c.x < 0 || c.x >= kWidth || c.y < 0) return PcFault::outside;
        if (!board.fits(placement)) return PcFault::overlap;
        if (!board.is_resting(placement)) return PcFault::floating;
        if (system && !system->reaches(board, placement)) return PcFault::unreachable;
        board.lock(placement);
    }
    i = count - 1;
    return board.empty() ? PcFault::none : PcFault::not_cleared;
}

bool PcValidator::System::reaches(std::uint64_t filled, Piece piece, int look, int corner) const {
    std::uint64_t corners[kRotations];
    dispatch_table().find_rest_positions(move_tables.of(piece), filled, pc::kSmallBoardRows,
                                         corners);
    return corners[look] >> corner & 1;
}

bool PcValidator::System::reaches(const Board& board, const Placement& placement) const {
    std::vector<Placement> reached;
    generate_placements(board, placement.piece, kicks, {4, 20}, SpinMode::none, reached);
    return std::ranges::find(reached, canonical(placement)) != reached.end();
}

PcScanResult skip_pc_records(std::span<const std::uint8_t> bytes, std::uint64_t max) {
    PcScanResult run;
    while (run.records < max && bytes.size() - run.bytes >= kPcSequenceBytes) {
        const auto size = static_cast<std::size_t>(pc_record_bytes(bytes.data() + run.bytes));
        if (bytes.size() - run.bytes < size) break;
        run.bytes += size;
        ++run.records;
    }
    return run;
}

}  // namespace sevenbag
