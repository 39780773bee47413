#include "pc/set_cover.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>

namespace sevenbag::pc {

namespace {

// The elements to cover, each as the sets that contain it.
using Rows = std::vector<Bits>;
using Chosen = std::vector<int>;

bool holds(const Bits& bits, int number) {
    return bits[static_cast<std::size_t>(number) / 64] >> (number % 64) & 1;
}

bool part_of(const Bits& a, const Bits& b) {
    for (std::size_t i = 0; i < a.size(); ++i)
        if (a[i] & ~b[i]) return false;
    return true;
}

bool meet(const Bits& a, const Bits& b) {
    for (std::size_t i = 0; i < a.size(); ++i)
        if (a[i] & b[i]) return true;
    return false;
}

template <class Visit>
void each_bit(const Bits& bits, Visit&& visit) {
    for (std::size_t i = 0; i < bits.size(); ++i)
        for (std::uint64_t left = bits[i]; left; left &= left - 1)
            visit(static_cast<int>(i * 64) + std::countr_zero(left));
}

// Transpose: for each of `count` numbers the rows that contain it.
Rows turned(const Rows& rows, std::size_t count) {
    Rows columns(count, Bits(words_for(rows.size())));
    for (std::size_t r = 0; r < rows.size(); ++r)
        each_bit(rows[r], [&](int column) {
            columns[static_cast<std::size_t>(column)][r / 64] |= std::uint64_t{1} << (r % 64);
        });
    return columns;
}

class CoverSearch {
  public:
    CoverSearch(std::size_t sets, StopCheck stop_check) : sets_(sets), watch_(stop_check) {}

    // A smallest cover of fewer than `limit` sets, if there is one; if the search is stopped, any.
    std::optional<Chosen> cover(Rows rows, std::size_t limit) {
        Chosen forced;
        while (reduce(rows, forced)) {
            if (forced.size() >= limit || stopped()) return std::nullopt;
        }
        if (forced.size() >= limit) return std::nullopt;
        if (rows.empty()) return forced;
        const std::size_t room = limit - forced.size();
        if (fewest(rows) >= room || stopped()) return std::nullopt;
        std::optional<Chosen> rest = in_parts(rows, room);
        if (!rest) return std::nullopt;
        rest->insert(rest->end(), forced.begin(), forced.end());
        return rest;
    }

    // Rows that have no set in common need a set each.
    static std::size_t fewest(const Rows& rows) {
        // They are in the order of their size: those with few sets meet fewest others.
        std::vector<const Bits*> apart;
        for (const Bits& row : rows)
            if (std::ranges::none_of(apart, [&](const Bits* other) { return meet(*other, row); }))
                apart.push_back(&row);
        return apart.size();
    }

    // Take the sets that every cover needs and remove redundant rows and sets; return whether
    // anything changed. Rows are sorted by size.
    bool reduce(Rows& rows, Chosen& forced) {
        const std::size_t forced_before = forced.size();
        take_forced(rows, forced);
        const std::size_t rows_before = rows.size();
        drop_wider_rows(rows);
        return drop_smaller_sets(rows) || rows.size() != rows_before ||
               forced.size() != forced_before;
    }

    bool was_stopped() const { return stopped_; }

  private:
    bool stopped() {
        if (!stopped_ && watch_.stop && watch_.stop(watch_.context, 1)) stopped_ = true;
        return stopped_;
    }

    static void take(Rows& rows, int set) {
        std::erase_if(rows, [&](const Bits& row) { return holds(row, set); });
    }

    // A row with one set.
    static void take_forced(Rows& rows, Chosen& forced) {
        for (;;) {
            const auto single =
                std::ranges::find_if(rows, [](const Bits& row) { return bits_count(row) == 1; });
            if (single == rows.end()) return;
            int only = 0;
            each_bit(*single, [&](int set) { only = set; });
            forced.push_back(only);
            take(rows, only);
        }
    }

    // A row that has all sets of another is covered with it.
    void drop_wider_rows(Rows& rows) {
        std::vector<std::pair<std::uint64_t, std::size_t>> order;
        for (std::size_t i = 0; i < rows.size(); ++i) order.emplace_back(bits_count(rows[i]), i);
        std::ranges::sort(order);
        Rows kept;
        for (const auto& [size, i] : order) {
            if (stopped()) {  // the rest is kept
                kept.push_back(std::move(rows[i]));
                continue;
            }
            if (std::ranges::none_of(kept, [&](const Bits& row) { return part_of(row, rows[i]); }))
                kept.push_back(std::move(rows[i]));
        }
        rows = std::move(kept);
    }

    // A subset of another set is never needed.
    bool drop_smaller_sets(Rows& rows) {
        if (stopped()) return false;
        const Rows columns = turned(rows, sets_);
        Bits kept(words_for(sets_));
        for (const int set : find_maximal_sets(columns))
            kept[static_cast<std::size_t>(set) / 64] |= std::uint64_t{1} << (set % 64);
        bool dropped = false;
        for (Bits& row : rows)
            for (std::size_t i = 0; i < row.size(); ++i) {
                dropped = dropped || (row[i] & ~kept[i]) != 0;
                row[i] &= kept[i];
            }
        return dropped;
    }

    // Rows that are not connected by sets are independent problems.
    std::optional<Chosen> in_parts(const Rows& rows, std::size_t limit) {
        std::vector<Bits> reach;  // the sets of each part
        std::vector<Rows> parts;
        for (const Bits& row : rows) {
            Bits sets = row;
            Rows members{row};
            for (std::size_t p = reach.size(); p-- > 0;) {
                if (!meet(reach[p], row)) continue;
                for (std::size_t i = 0; i < sets.size(); ++i) sets[i] |= reach[p][i];
                members.insert(members.end(), parts[p].begin(), parts[p].end());
                reach.erase(reach.begin() + static_cast<std::ptrdiff_t>(p));
                parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(p));
            }
            reach.push_back(std::move(sets));
            parts.push_back(std::move(members));
        }
        if (parts.size() == 1) return branch(rows, limit);
        std::vector<std::size_t> bounds;
        for (const Rows& part : parts) bounds.push_back(fewest(part));
        std::size_t others = std::accumulate(bounds.begin(), bounds.end(), std::size_t{0});
        Chosen all;
        for (std::size_t p = 0; p < parts.size(); ++p) {
            others -= bounds[p];
            if (all.size() + others >= limit) return std::nullopt;
            const auto found = cover(std::move(parts[p]), limit - all.size() - others);
            if (!found) return std::nullopt;
            all.insert(all.end(), found->begin(), found->end());
        }
        return all;
    }

    // One of the sets of the smallest row is required.
    std::optional<Chosen> branch(Rows rows, std::size_t limit) {
        const Bits narrow = *std::ranges::min_element(rows, {}, bits_count);
        std::vector<std::pair<std::size_t, int>> choices;
        each_bit(narrow, [&](int set) {
            choices.emplace_back(
                std::ranges::count_if(rows, [&](auto& r) { return holds(r, set); }), set);
        });
        std::ranges::sort(choices, [](const auto& a, const auto& b) {
            return a.first != b.first ? a.first > b.first : a.second < b.second;
        });
        std::optional<Chosen> best;
        for (const auto& [size, set] : choices) {
            Rows left = rows;
            take(left, set);
            if (auto found = cover(std::move(left), limit - 1)) {
                found->push_back(set);
                limit = found->size();
                best = std::move(found);
            }
            if (limit <= 1 || stopped()) break;
            // All covers with it have been searched.
            for (Bits& row : rows)
                row[static_cast<std::size_t>(set) / 64] &= ~(std::uint64_t{1} << (set % 64));
            if (std::ranges::any_of(rows, [](const Bits& row) { return bits_count(row) == 0; }))
                break;
        }
        return best;
    }

    std::size_t sets_;
    StopCheck watch_;
    bool stopped_ = false;
};

// Greedy cover: always the set with most of the remaining elements; then redundant sets are
// removed.
Chosen greedy(const std::vector<Bits>& sets) {
    Chosen chosen;
    Bits left(sets.empty() ? 0 : sets[0].size());
    for (const Bits& set : sets)
        for (std::size_t i = 0; i < set.size(); ++i) left[i] |= set[i];
    const Bits all = left;
    while (bits_count(left) > 0) {
        std::uint64_t max = 0;
        int best = 0;
        for (std::size_t s = 0; s < sets.size(); ++s) {
            std::uint64_t count = 0;
            for (std::size_t i = 0; i < left.size(); ++i)
                count += static_cast<std::uint64_t>(std::popcount(left[i] & sets[s][i]));
            if (count > max) {
                max = count;
                best = static_cast<int>(s);
            }
        }
        chosen.push_back(best);
        for (std::size_t i = 0; i < left.size(); ++i)
            left[i] &= ~sets[static_cast<std::size_t>(best)][i];
    }
    for (std::size_t k = 0; k < chosen.size();) {
        Bits others(all.size());
        for (std::size_t j = 0; j < chosen.size(); ++j)
            if (j != k)
                for (std::size_t i = 0; i < all.size(); ++i)
                    others[i] |= sets[static_cast<std::size_t>(chosen[j])][i];
        if (part_of(all, others))
            chosen.erase(chosen.begin() + static_cast<std::ptrdiff_t>(k));
        else
            ++k;
    }
    return chosen;
}

}  // namespace

std::vector<int> find_maximal_sets(const std::vector<Bits>& sets) {
    std::vector<std::pair<std::uint64_t, int>> order;
    for (std::size_t i = 0; i < sets.size(); ++i)
        if (const std::uint64_t size = bits_count(sets[i]))
            order.emplace_back(size, static_cast<int>(i));
    std::ranges::sort(order, [](const auto& a, const auto& b) {
        return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    std::vector<int> widest;
    for (const auto& [size, i] : order) {
        const Bits& set = sets[static_cast<std::size_t>(i)];
        if (std::ranges::none_of(widest, [&](int other) {
                return part_of(set, sets[static_cast<std::size_t>(other)]);
            }))
            widest.push_back(i);
    }
    std::ranges::sort(widest);
    return widest;
}

SetCover find_smallest_cover(const std::vector<Bits>& sets, StopCheck stop_check) {
    SetCover cover;
    if (sets.empty()) return cover;
    Rows rows = turned(sets, sets[0].size() * 64);
    std::erase_if(rows, [](const Bits& row) { return bits_count(row) == 0; });
    std::ranges::sort(rows);
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    cover.sets = greedy(sets);

    CoverSearch search(sets.size(), stop_check);
    Chosen forced;
    while (search.reduce(rows, forced) && !search.was_stopped()) {
    }
    const std::size_t least = forced.size() + CoverSearch::fewest(rows);
    if (auto found = search.cover(rows, cover.sets.size() - forced.size())) {
        found->insert(found->end(), forced.begin(), forced.end());
        cover.sets = std::move(*found);
    }
    std::ranges::sort(cover.sets);
    cover.at_least = static_cast<int>(search.was_stopped() ? std::min(least, cover.sets.size())
                                                           : cover.sets.size());
    return cover;
}

}  // namespace sevenbag::pc
