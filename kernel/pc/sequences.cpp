#include "pc/sequences.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace sevenbag::pc {

BagPhaseTracker::BagPhaseTracker(int phases) {
    for (std::size_t f = 0; f < 7; ++f)
        if (!(phases >> f & 1)) seen_[f] = kRuledOut;
}

bool BagPhaseTracker::read(int letter) {
    bool possible = false;
    for (std::size_t f = 0; f < 7; ++f) {
        std::uint8_t& seen = seen_[f];
        if (seen == kRuledOut) continue;
        if ((f + length_) % 7 == 0) seen = 0;
        if (seen >> letter & 1) {
            seen = kRuledOut;
        } else {
            seen = static_cast<std::uint8_t>(seen | 1 << letter);
            possible = true;
        }
    }
    ++length_;
    return possible;
}

int BagPhaseTracker::phases() const {
    int phases = 0;
    for (std::size_t f = 0; f < 7; ++f)
        if (seen_[f] != kRuledOut) phases |= 1 << f;
    return phases;
}

namespace {

// For one phase. The letters that the first bag dealt before the window are unknown.
std::int64_t count_windows(int length, int phase) {
    std::int64_t product = 1;
    for (int i = 0; i < length; ++i) product *= 7 - std::min(i, (phase + i) % 7);
    return product;
}

BagPhaseTracker read_window(std::uint8_t first, std::span<const std::uint8_t> rest) {
    BagPhaseTracker window;
    window.read(first);
    for (std::uint8_t letter : rest) window.read(letter);
    return window;
}

}  // namespace

int different_phases(int length) {
    int phases = 1;
    for (int phase = 1; phase < 7; ++phase)
        if (phase + length > 7) phases |= 1 << phase;
    return phases;
}

std::int64_t count_windows(int length) {
    const int phases = different_phases(length);
    std::int64_t sum = 0;
    for (int phase = 0; phase < 7; ++phase)
        if (phases >> phase & 1) sum += count_windows(length, phase);
    return sum;
}

std::int64_t count_opening_windows(int length) { return count_windows(length, 0); }

SequencePrefix::SequencePrefix(int held, int current, int phases) {
    windows_[0].emplace(phases).read(current);
    if (held != current) windows_[1].emplace(phases).read(held);
}

std::optional<SequencePrefix> SequencePrefix::then(int letter) const {
    SequencePrefix next = *this;
    for (auto& window : next.windows_)
        if (window && !window->read(letter)) window.reset();
    if (!next.windows_[0] && !next.windows_[1]) return std::nullopt;
    return next;
}

DealCounts count_deals(std::span<const std::uint8_t> letters) {
    const auto length = static_cast<int>(letters.size());
    DealCounts weights;
    const auto add = [&](std::uint8_t held, std::uint8_t current) {
        const auto rest = letters.subspan(2);
        const int held_phases = read_window(current, rest).phases() & different_phases(length - 1);
        weights.any += std::popcount(static_cast<unsigned>(held_phases));
        BagPhaseTracker whole;
        whole.read(held);
        whole.read(current);
        for (std::uint8_t letter : rest) whole.read(letter);
        const int phases = whole.phases() & different_phases(length);
        weights.none += std::popcount(static_cast<unsigned>(phases));
        weights.opening += phases & 1;
    };
    add(letters[0], letters[1]);
    if (letters[0] != letters[1]) add(letters[1], letters[0]);
    weights.any += weights.none;
    return weights;
}

bool is_sequence(std::span<const std::uint8_t> letters) {
    if (letters.size() < 2 || letters[0] < letters[1]) return false;
    std::optional<SequencePrefix> prefix(std::in_place, letters[0], letters[1]);
    for (std::size_t i = 2; i < letters.size() && prefix; ++i) prefix = prefix->then(letters[i]);
    return prefix.has_value();
}

std::int64_t SequenceCounter::count(int length, int phases) {
    if (length == 0) return kPieces;
    std::int64_t sum = 0;
    for (int held = 0; held < kPieces; ++held)
        for (int current = 0; current <= held; ++current)
            sum += endgame_tables(SequencePrefix(held, current, phases), length - 1);
    return sum;
}

std::int64_t SequenceCounter::count_from(std::span<const std::uint8_t> letters, int length) {
    std::optional<SequencePrefix> prefix(std::in_place, letters[0], letters[1]);
    for (std::size_t i = 2; i < letters.size(); ++i) {
        prefix = prefix->then(letters[i]);
        if (!prefix) return 0;
    }
    return endgame_tables(*prefix, length - static_cast<int>(letters.size()));
}

std::int64_t SequenceCounter::number(std::span<const std::uint8_t> letters) {
    const int length = static_cast<int>(letters.size()) - 1;
    std::int64_t before = 0;
    for (int held = 0; held <= letters[0]; ++held)
        for (int current = 0; current <= held; ++current)
            if (held < letters[0] || current < letters[1])
                before += endgame_tables(SequencePrefix(held, current), length - 1);
    SequencePrefix prefix(letters[0], letters[1]);
    for (int i = 2; i <= length; ++i) {
        const int letter = letters[static_cast<std::size_t>(i)];
        for (int other = 0; other < letter; ++other)
            if (const auto next = prefix.then(other)) before += endgame_tables(*next, length - i);
        prefix = *prefix.then(letter);
    }
    return before;
}

std::vector<std::uint8_t> SequenceCounter::sequence(int length, std::int64_t number) {
    std::vector<std::uint8_t> letters;
    std::optional<SequencePrefix> prefix;
    for (int held = 0; held < kPieces && !prefix; ++held)
        for (int current = 0; current <= held && !prefix; ++current) {
            const SequencePrefix pair(held, current);
            const std::int64_t here = endgame_tables(pair, length - 1);
            if (number < here) {
                prefix = pair;
                letters = {static_cast<std::uint8_t>(held), static_cast<std::uint8_t>(current)};
            } else {
                number -= here;
            }
        }
    for (int left = length - 2; left >= 0; --left)
        for (int letter = 0; letter < kPieces; ++letter) {
            const auto next = prefix->then(letter);
            if (!next) continue;
            const std::int64_t here = endgame_tables(*next, left);
            if (number < here) {
                prefix = next;
                letters.push_back(static_cast<std::uint8_t>(letter));
                break;
            }
            number -= here;
        }
    return letters;
}

std::int64_t SequenceCounter::endgame_tables(const SequencePrefix& prefix, int letters) {
    if (letters == 0) return 1;
    const Key key = key_of(prefix, letters);
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
    std::int64_t sum = 0;
    for (int letter = 0; letter < kPieces; ++letter)
        if (const auto next = prefix.then(letter)) sum += endgame_tables(*next, letters - 1);
    known_.emplace(key, sum);
    return sum;
}

// Two letters differ only in which phases have seen them: seven patterns of seven places in the bag
// and two windows say all, in any order.
SequenceCounter::Key SequenceCounter::key_of(const SequencePrefix& prefix, int letters) {
    Key key{};
    int possible = 0;
    for (std::size_t w = 0; w < 2; ++w) {
        const auto& window = prefix.windows_[w];
        if (!window) continue;
        for (std::size_t f = 0; f < 7; ++f) {
            const std::uint8_t seen = window->seen_[f];
            if (seen == BagPhaseTracker::kRuledOut) continue;
            const std::size_t place = (f + window->length_) % 7;
            const auto bit = static_cast<std::uint16_t>(1 << (7 * w + place));
            possible |= bit;
            if (place == 0) continue;  // a new bag
            for (std::size_t letter = 0; letter < 7; ++letter)
                if (seen >> letter & 1) key[letter] = static_cast<std::uint16_t>(key[letter] | bit);
        }
    }
    std::sort(key.begin(), key.begin() + 7);
    key[7] = static_cast<std::uint16_t>(possible);
    key[8] = static_cast<std::uint16_t>(letters);
    return key;
}

}  // namespace sevenbag::pc
