// The queues that bags can deal, as a player meets them: a held piece and a window of the stream,
// cut out of it anywhere; held and current piece may be exchanged and are listed once, the greater
// letter first. Counted, numbered in listing order, and weighed.
//
// A sequence of length n is the held letter, the current one, and n - 1 more.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "piece.hpp"

namespace sevenbag::pc {

// A window of a 7-bag stream while it is read: for every phase, the place within a bag at which the
// window may have begun, which letters of the current bag it has seen.
class BagPhaseTracker {
  public:
    BagPhaseTracker() = default;
    explicit BagPhaseTracker(int phases);

    // Read a letter; return whether it can follow under any phase.
    bool read(int letter);
    // Bit f: the window may have begun after f letters of a bag.
    int phases() const;

  private:
    friend class SequenceCounter;
    static constexpr std::uint8_t kRuledOut = 0x80;

    std::array<std::uint8_t, 7> seen_{};
    std::uint8_t length_ = 0;
};

inline constexpr int kAllPhases = 0x7f;

// Number of phases in which windows of this length are divided differently: windows shorter than a
// bag are within one bag in several phases, of which the first counts.
int different_phases(int length);
// Windows that are dealt, each once for every different phase; and those that begin with a bag.
// `length` up to 20.
std::int64_t count_windows(int length);
std::int64_t count_opening_windows(int length);

// Prefix of a sequence. Either of the first two letters may be the held one: both windows are
// tracked.
class SequencePrefix {
  public:
    SequencePrefix(int held, int current, int phases = kAllPhases);

    // Nothing if it cannot be dealt.
    std::optional<SequencePrefix> then(int letter) const;

  private:
    friend class SequenceCounter;
    // With equal letters the windows are one; the second is not followed.
    std::array<std::optional<BagPhaseTracker>, 2> windows_;
};

// Number of deals that give these letters, summed over the different phases.
struct DealCounts {
    int any = 0;      // with any held piece, or without
    int none = 0;     // without a held piece: the letters are a window
    int opening = 0;  // the same, at the start of a bag
};
DealCounts count_deals(std::span<const std::uint8_t> letters);

inline constexpr int kLongestSequence = 24;

// Counts and indices of the sequences of one length. Not thread-safe.
class SequenceCounter {
  public:
    // Of length 0 to kLongestSequence; of windows of these phases only.
    std::int64_t count(int length, int phases = kAllPhases);
    // Those that begin with these letters, at least two; `length` letters in all.
    std::int64_t count_from(std::span<const std::uint8_t> letters, int length);
    // The sequence's number in listing order. The letters must be a sequence.
    std::int64_t number(std::span<const std::uint8_t> letters);
    // The sequence of that number, below count(length). `length` from 1.
    std::vector<std::uint8_t> sequence(int length, std::int64_t number);

  private:
    // State that determines the number of possible continuations, independent of the letters'
    // names.
    using Key = std::array<std::uint16_t, 9>;

    std::int64_t endgame_tables(const SequencePrefix& prefix, int letters);
    static Key key_of(const SequencePrefix& prefix, int letters);

    std::map<Key, std::int64_t> known_;
};

// Return whether these letters are a sequence: the first is at least the second, the rest is what
// bags deal.
bool is_sequence(std::span<const std::uint8_t> letters);

}  // namespace sevenbag::pc
