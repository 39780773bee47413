// Records of .pc files: compact encoding of perfect clears from the empty board, and their
// validation. The format is that of perfect-tetris; docs/pc-files.md describes it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "board.hpp"
#include "kicks.hpp"
#include "pc/move_tables.hpp"
#include "piece.hpp"

namespace sevenbag {

inline constexpr int kPcSequence = 16;      // pieces of a record at most, the held one first
inline constexpr int kPcSequenceBytes = 6;  // three bits a piece
inline constexpr int kPcHeadBytes = 8;      // the sequence and where hold was used
inline constexpr int kPcMaxRecordBytes = kPcHeadBytes + kPcSequence - 1;

// A solution: the pieces, the held one first, and a placement for each but the one that is left.
struct PcRecord {
    std::array<Piece, kPcSequence> sequence;
    int length;           // of the sequence
    std::uint16_t holds;  // bit i: hold was used for placement i
    std::array<Placement, kPcSequence - 1> placements;

    int placement_count() const { return length > 0 ? length - 1 : 0; }
};

// Bytes of the record that begins with these kPcSequenceBytes.
int pc_record_bytes(const std::uint8_t* bytes);
// Reads a record that is there in full.
PcRecord read_pc_record(const std::uint8_t* bytes);
// Write a record and return the number of its bytes. Throws Error(queue) for a length that is not 2
// to 16, Error(placement) for a placement of another piece than in the sequence, and for a position
// that does not fit into six bits.
int write_pc_record(const PcRecord& record, std::uint8_t* bytes);

// Fault of a record.
enum class PcFault : std::uint8_t {
    none,
    no_placement,   // no pieces, or none but the held one
    outside,        // a placement passes a wall or the floor
    overlap,        // it fills filled cells
    floating,       // it has no support
    unreachable,    // it cannot be reached from above
    cleared_early,  // the board is empty before the last placement; only if that is not allowed
    not_cleared,    // the board is not empty after the last placement
};

// Number of valid records, and the fault that ended the scan.
struct PcScanResult {
    std::uint64_t records = 0;  // without the faulty one
    std::size_t bytes = 0;      // with the faulty one
    PcFault fault = PcFault::none;
    int placement = 0;  // the faulty placement
};

// Holds records to the rules.
class PcValidator {
  public:
    // Each record must be playable under one of the systems as a whole; with none of them nothing
    // need be reachable.
    PcValidator(std::span<const Kicks> systems, bool allow_early_clear);

    // Goes through the records that are there in full, up to the first faulty one.
    PcScanResult run(std::span<const std::uint8_t> bytes) const;

  private:
    struct System {
        Kicks kicks;
        pc::MoveTables move_tables;

        bool reaches(std::uint64_t filled, Piece piece, int look, int corner) const;
        bool reaches(const Board& board, const Placement& placement) const;
    };

    // Validate under one system, or, with nullptr, without testing reachability.
    PcFault fault_of(const std::uint8_t* bytes, const System* system, int& placement) const;
    // The same for a record whose pieces rise above six rows; no solver writes such records.
    PcFault fault_on_board(const std::uint8_t* bytes, const System* system, int& placement) const;

    std::vector<System> systems_;
    bool allow_early_clear_;
};

// Goes through at most `most` records that are there in full, without looking into them.
PcScanResult skip_pc_records(std::span<const std::uint8_t> bytes, std::uint64_t max);

}  // namespace sevenbag
