#include "pc/unsolvable_table.hpp"

#include <algorithm>
#include <cstring>

#include "error.hpp"

namespace sevenbag::pc {

namespace {

// Numbers have their lowest byte first. The checksum is that of the codes.
//   0  magic      16  fingerprint   32  checksum
//   8  version    24  number of     40  codes, sorted
//  12  height         codes
constexpr char kMagic[] = "SBPCTABL";
constexpr std::size_t kHeader = 40;
constexpr std::size_t kCodeBytes = 5;

class Fnv1a {
  public:
    void add(std::uint64_t value) {
        for (int i = 0; i < 8; ++i) add_byte(static_cast<std::uint8_t>(value >> (8 * i)));
    }
    void add_byte(std::uint8_t byte) { value_ = (value_ ^ byte) * 0x100000001b3u; }
    std::uint64_t value() const { return value_; }

  private:
    std::uint64_t value_ = 0xcbf29ce484222325u;
};

void put(std::uint8_t* to, std::uint64_t value, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) to[i] = static_cast<std::uint8_t>(value >> (8 * i));
}

std::uint64_t get(const std::uint8_t* from, std::size_t bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i) value |= std::uint64_t{from[i]} << (8 * i);
    return value;
}

std::uint64_t checksum(const std::uint8_t* bytes, std::size_t count) {
    Fnv1a hash;
    for (std::size_t i = 0; i < count; ++i) hash.add_byte(bytes[i]);
    return hash.value();
}

int length_of(int height) { return height * kSmallBoardWidth / 4 + 1; }

// The first two pieces can change places.
template <class Pieces>
std::uint64_t code_of(const Pieces& pieces, int length) {
    const auto number = [&](int i) {
        return static_cast<std::uint64_t>(pieces[static_cast<std::size_t>(i)]);
    };
    std::uint64_t code = std::min(number(0), number(1)) << 3 | std::max(number(0), number(1));
    for (int i = 2; i < length; ++i) code = code << 3 | number(i);
    return code;
}

}  // namespace

std::uint64_t fingerprint(const MoveTables& move_tables) {
    Fnv1a hash;
    for (const MoveTable& piece : move_tables.pieces)
        for (int from = 0; from < kRotations; ++from) {
            hash.add(piece.cells[from]);
            hash.add(piece.open.of[from] & 1);
            for (int direction = 0; direction < kDirections; ++direction) {
                hash.add(static_cast<std::uint64_t>(piece.count[direction][from]));
                for (int i = 0; i < piece.count[direction][from]; ++i) {
                    const Cell step = piece.test[direction][i].step[from];
                    hash.add_byte(static_cast<std::uint8_t>(step.x));
                    hash.add_byte(static_cast<std::uint8_t>(step.y));
                }
            }
        }
    return hash.value();
}

std::vector<std::uint8_t> UnsolvableTable::bytes(const MoveTables& move_tables, int height,
                                                 std::span<const std::vector<Piece>> sequences) {
    if (height < 2 || height > 4 || height % 2 != 0)
        throw_invalid(ErrorKind::queue, "height", "2 or 4", std::to_string(height));
    std::vector<std::uint64_t> codes;
    for (const std::vector<Piece>& sequence : sequences) {
        if (static_cast<int>(sequence.size()) != length_of(height))
            throw_invalid(ErrorKind::queue, "sequence",
                          std::to_string(length_of(height)) + " pieces",
                          std::to_string(sequence.size()));
        codes.push_back(code_of(sequence, length_of(height)));
    }
    std::ranges::sort(codes);
    codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
    std::vector<std::uint8_t> out(kHeader + codes.size() * kCodeBytes);
    std::memcpy(out.data(), kMagic, 8);
    put(&out[8], kTableVersion, 4);
    put(&out[12], static_cast<std::uint64_t>(height), 4);
    put(&out[16], fingerprint(move_tables), 8);
    put(&out[24], codes.size(), 8);
    for (std::size_t i = 0; i < codes.size(); ++i)
        put(&out[kHeader + i * kCodeBytes], codes[i], kCodeBytes);
    put(&out[32], checksum(out.data() + kHeader, out.size() - kHeader), 8);
    return out;
}

UnsolvableTable::UnsolvableTable(std::span<const std::uint8_t> bytes,
                                 const MoveTables& move_tables) {
    if (bytes.size() < kHeader || std::memcmp(bytes.data(), kMagic, 8) != 0)
        throw Error(ErrorKind::rules, "invalid table: expected a table of perfect clears");
    const std::uint64_t version = get(&bytes[8], 4);
    if (version != kTableVersion)
        throw_invalid(ErrorKind::rules, "table", "version " + std::to_string(kTableVersion),
                      std::to_string(version));
    if (get(&bytes[16], 8) != fingerprint(move_tables))
        throw Error(ErrorKind::rules, "invalid table: it is for another rotation system");
    const std::uint64_t height = get(&bytes[12], 4);
    const std::uint64_t count = get(&bytes[24], 8);
    const std::size_t codes = bytes.size() - kHeader;
    if ((height != 2 && height != 4) || codes % kCodeBytes != 0 || count != codes / kCodeBytes ||
        get(&bytes[32], 8) != checksum(bytes.data() + kHeader, codes))
        throw Error(ErrorKind::rules, "invalid table: it is truncated or damaged");
    height_ = static_cast<int>(height);
    count_ = codes / kCodeBytes;
    codes_ = bytes.data() + kHeader;
}

bool UnsolvableTable::rules_out(const Problem& problem) const {
    // A piece to save or strict mode only removes solutions.
    if (problem.filled != 0 || problem.height != height_ || problem.count != length_of(height_))
        return false;
    const std::uint64_t wanted = code_of(problem.pieces, problem.count);
    std::size_t low = 0;
    std::size_t high = count_;
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (code(middle) < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count_ && code(low) == wanted;
}

std::uint64_t UnsolvableTable::code(std::size_t i) const {
    return get(codes_ + i * kCodeBytes, kCodeBytes);
}

}  // namespace sevenbag::pc
