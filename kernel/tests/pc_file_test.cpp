// Records of .pc files: the format's published example, and faults of invalid records.
#include <string>
#include <vector>

#include "check.hpp"
#include "error.hpp"
#include "pc/pc_file.hpp"

using namespace sevenbag;

namespace {

std::vector<std::uint8_t> from_hex(const std::string& hex) {
    std::vector<std::uint8_t> bytes;
    for (std::size_t i = 0; i < hex.size(); i += 2)
        bytes.push_back(static_cast<std::uint8_t>(std::stoi(hex.substr(i, 2), nullptr, 16)));
    return bytes;
}

const Kicks& srs() { return find_kicks("srs"); }

PcScanResult check_one(const std::string& hex, bool allow_early_clear = true) {
    const std::vector<std::uint8_t> bytes = from_hex(hex);
    return PcValidator({&srs(), 1}, allow_early_clear).run(bytes);
}

// Hold T, then O I I I I without hold: two rows.
const std::string kExample = "0a00fcffffff0000000c341c1c";

}  // namespace

TEST(the_example_of_the_format) {
    const std::vector<std::uint8_t> bytes = from_hex(kExample);
    const PcRecord record = read_pc_record(bytes.data());
    CHECK_EQ(record.length, 6);
    CHECK_EQ(record.holds, 0);
    std::string letters;
    for (int i = 0; i < record.length; ++i) letters += letter(record.sequence[i]);
    CHECK_EQ(letters, "TOIIII");
    const int xs[] = {0, 3, 3, 7, 7}, ys[] = {0, 0, 1, 0, 0};
    for (int i = 0; i < record.placement_count(); ++i) {
        CHECK_EQ(int{record.placements[i].x}, xs[i]);
        CHECK_EQ(int{record.placements[i].y}, ys[i]);
        CHECK(record.placements[i].rotation == Rotation::north);
    }
    std::uint8_t written[kPcMaxRecordBytes];
    CHECK_EQ(write_pc_record(record, written), 13);
    CHECK(std::vector<std::uint8_t>(written, written + 13) == bytes);

    const PcScanResult run = check_one(kExample + kExample + kExample + "0a00fc");
    CHECK_EQ(run.records, 3u);
    CHECK_EQ(run.bytes, 39u);
    CHECK(run.fault == PcFault::none);
}

TEST(every_fault_is_found) {
    const auto fault = [](const std::string& placements, bool allow_early_clear = true) {
        return check_one("0a00fcffffff0000" + placements, allow_early_clear).fault;
    };
    CHECK(fault("000c341c1c") == PcFault::none);
    CHECK(fault("0020341c1c") == PcFault::outside);  // I from the eighth column
    CHECK(fault("0000341c1c") == PcFault::outside);  // I from one column left of the wall
    CHECK(fault("000c0c1c1c") == PcFault::overlap);
    CHECK(fault("000c5c1c1c") == PcFault::floating);
    CHECK(fault("000c34441c") == PcFault::floating);
    CHECK(fault("000c341c34") == PcFault::not_cleared);
    CHECK(check_one("ffffffffffff0000").fault == PcFault::no_placement);
    CHECK(check_one("f8ffffffffff0000").fault == PcFault::no_placement);
}

TEST(enclosed_positions_are_unreachable) {
    // An O in the left corner, an I on top of it that covers the three columns beside it, an
    // upright I at the end of that cover: another O cannot get below it.
    PcRecord record{};
    record.length = 5;
    record.sequence = {Piece::T, Piece::O, Piece::I, Piece::I, Piece::O};
    record.placements[0] = {Piece::O, Rotation::north, 0, 0, Spin::none};
    record.placements[1] = {Piece::I, Rotation::north, 2, 2, Spin::none};
    record.placements[2] = {Piece::I, Rotation::east, 5, 2, Spin::none};
    record.placements[3] = {Piece::O, Rotation::north, 2, 0, Spin::none};
    std::uint8_t bytes[kPcMaxRecordBytes];
    const auto size = static_cast<std::size_t>(write_pc_record(record, bytes));
    for (const Kicks& kicks : all_kicks()) {
        // There an O kicks as far as other pieces: to below the roof.
        if (kicks.name() == "asc-offsets") continue;
        const PcScanResult run = PcValidator({&kicks, 1}, true).run({bytes, size});
        CHECK(run.fault == PcFault::unreachable);
        CHECK_EQ(run.placement, 3);
    }
    CHECK(PcValidator({}, true).run({bytes, size}).fault == PcFault::not_cleared);
    // The same above the six rows that fit into a word.
    record.placements[1] = {Piece::I, Rotation::east, 0, 4, Spin::none};
    record.placements[2] = {Piece::I, Rotation::north, 1, 6, Spin::none};
    record.placements[3] = {Piece::O, Rotation::north, 2, 3, Spin::none};
    write_pc_record(record, bytes);
    const PcScanResult tall = PcValidator({&srs(), 1}, true).run({bytes, size});
    CHECK(tall.fault == PcFault::floating);
    CHECK_EQ(tall.placement, 3);
}

TEST(an_empty_field_on_the_way_can_be_refused) {
    // Two rows cleared twice.
    const std::vector<std::uint8_t> once = from_hex(kExample);
    PcRecord twice{};
    twice.length = 11;
    const PcRecord record = read_pc_record(once.data());
    twice.sequence[0] = Piece::T;
    for (int i = 0; i < 10; ++i) {
        twice.sequence[i + 1] = record.sequence[i % 5 + 1];
        twice.placements[i] = record.placements[i % 5];
    }
    std::uint8_t bytes[kPcMaxRecordBytes];
    const auto size = static_cast<std::size_t>(write_pc_record(twice, bytes));
    CHECK(PcValidator({&srs(), 1}, true).run({bytes, size}).fault == PcFault::none);
    const PcScanResult refused = PcValidator({&srs(), 1}, false).run({bytes, size});
    CHECK(refused.fault == PcFault::cleared_early);
    CHECK_EQ(refused.placement, 5);
}

TEST(invalid_records_are_refused) {
    PcRecord record{};
    std::uint8_t bytes[kPcMaxRecordBytes];
    record.length = 1;
    CHECK_THROWS(Error, write_pc_record(record, bytes));
    record.length = 2;
    record.sequence = {Piece::T, Piece::O};
    record.placements[0] = {Piece::T, Rotation::north, 4, 0, Spin::none};
    CHECK_THROWS(Error, write_pc_record(record, bytes));
    record.holds = 1;
    CHECK_EQ(write_pc_record(record, bytes), 9);
    record.placements[0].y = 7;
    CHECK_THROWS(Error, write_pc_record(record, bytes));
}
