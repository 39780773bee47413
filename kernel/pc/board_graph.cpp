#include "pc/board_graph.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "dispatch.hpp"
#include "parallel.hpp"
#include "pc/board_set.hpp"
#include "pc/move_tables.hpp"

namespace sevenbag::pc {

namespace {

using BoardList = std::vector<std::uint64_t>;

// Divide and conquer, so that threads can share the work.
void sort(BoardList& boards, int threads) {
    const auto count = static_cast<int>(boards.size());
    std::vector<int> bounds(static_cast<std::size_t>(threads) + 1, count);
    run_in_parts(count, threads, [&](int thread, int begin, int end) {
        bounds[static_cast<std::size_t>(thread)] = begin;
        std::sort(boards.begin() + begin, boards.begin() + end);
    });
    for (std::size_t n = bounds.size() - 1; n > 1;) {
        std::size_t kept = 0;
        for (std::size_t i = 0; i + 1 <= n; i += 2) {
            if (i + 2 <= n)
                std::inplace_merge(boards.begin() + bounds[i], boards.begin() + bounds[i + 1],
                                   boards.begin() + bounds[i + 2]);
            bounds[kept++] = bounds[i];
        }
        bounds[kept] = count;
        n = kept;
    }
}

class GraphBuilder {
  public:
    GraphBuilder(const Kicks& kicks, int height, int threads, Progress& progress)
        : move_tables_(kicks),
          find_(dispatch_table().find_children),
          height_(height),
          pieces_(height * 10 / 4),
          threads_(threads),
          progress_(progress) {
        for (std::size_t l = 0; l < kPieces; ++l) by_letter_[l] = &move_tables_.of(kLetters[l]);
    }

    Graph build() {
        const auto count = static_cast<std::size_t>(pieces_);
        std::vector<BoardList> reached(count + 1);
        reached[0] = {0};
        for (std::size_t k = 0; k < count; ++k) {
            progress_.enter(kForward + static_cast<int>(k), 1);
            reached[k + 1] = following(reached[k]);
        }
        Graph graph{height_, std::vector<Layer>(count + 1)};
        graph.layers[count].boards = std::move(reached[count]);
        for (std::size_t k = count; k-- > 0;) {
            progress_.enter(kBackward + static_cast<int>(count - 1 - k), 1);
            graph.layers[k] = leading_to(graph.layers[k + 1].boards, std::move(reached[k]));
        }
        return graph;
    }

  private:
    BoardList following(const BoardList& boards) {
        BoardSet set;
        std::vector<std::unique_ptr<BoardSet::Adder>> adders;
        for (int thread = 0; thread < threads_; ++thread)
            adders.push_back(std::make_unique<BoardSet::Adder>(set));
        run(boards.size(), [&](int thread, std::size_t begin, std::size_t end) {
            auto& adder = *adders[static_cast<std::size_t>(thread)];
            std::uint64_t children[kMaxSuccessors];
            int ends[kPieces];
            for (std::size_t i = begin; i < end; ++i) {
                find_(by_letter_, boards[i], height_, children, ends);
                for (int c = 0; c < ends[kPieces - 1]; ++c) adder.add(children[c]);
            }
        });
        for (auto& adder : adders) adder->flush();
        BoardList next = set.take();
        sort(next, threads_);
        return next;
    }

    // Of these boards those that lead to one of the next layer, and how.
    Layer leading_to(const BoardList& next, BoardList boards) {
        struct Block {
            BoardList boards;
            std::vector<std::uint64_t> bounds;
            std::vector<std::uint32_t> edges;
        };
        const BoardIndex numbers(next);
        std::vector<Block> blocks((boards.size() + kBoardsPerJob - 1) / kBoardsPerJob);
        run(boards.size(), [&](int, std::size_t begin, std::size_t end) {
            Block& block = blocks[begin / kBoardsPerJob];
            std::uint64_t children[kMaxSuccessors];
            int ends[kPieces];
            for (std::size_t i = begin; i < end; ++i) {
                find_(by_letter_, boards[i], height_, children, ends);
                for (int c = 0; c < ends[kPieces - 1]; ++c) numbers.prefetch(children[c]);
                const std::uint64_t bounds = keep_known(numbers, children, ends, block.edges);
                if (bounds == 0) continue;
                block.boards.push_back(boards[i]);
                block.bounds.push_back(bounds);
            }
        });
        BoardList().swap(boards);

        Layer layer;
        std::size_t kept = 0, edges = 0;
        for (const Block& block : blocks) {
            kept += block.boards.size();
            edges += block.edges.size();
        }
        layer.boards.reserve(kept);
        layer.first.reserve(kept);
        layer.bounds.reserve(kept);
        layer.edges.reserve(edges);
        for (Block& block : blocks) {
            auto first = static_cast<std::uint32_t>(layer.edges.size());
            for (std::uint64_t bounds : block.bounds) {
                layer.first.push_back(first);
                first += static_cast<std::uint32_t>(bounds >> 56);
            }
            layer.boards.insert(layer.boards.end(), block.boards.begin(), block.boards.end());
            layer.bounds.insert(layer.bounds.end(), block.bounds.begin(), block.bounds.end());
            layer.edges.insert(layer.edges.end(), block.edges.begin(), block.edges.end());
            block = Block();
        }
        return layer;
    }

    // Add the indices of a board's successors to the edges; return the bounds of its letters.
    static std::uint64_t keep_known(const BoardIndex& numbers, const std::uint64_t* children,
                                    const int* ends, std::vector<std::uint32_t>& edges) {
        static_assert(kMaxSuccessors < 256, "bounds are bytes");
        const std::size_t first = edges.size();
        std::uint64_t bounds = 0;
        int c = 0;
        for (int letter = 0; letter < kPieces; ++letter) {
            const auto from = static_cast<std::ptrdiff_t>(edges.size());
            for (; c < ends[letter]; ++c) {
                const std::uint32_t number = numbers(children[c]);
                if (number != BoardIndex::kNone) edges.push_back(number);
            }
            std::sort(edges.begin() + from, edges.end());
            edges.erase(std::unique(edges.begin() + from, edges.end()), edges.end());
            const std::size_t end = edges.size() - first;
            bounds |= std::uint64_t{end} << (8 * letter + 8);
        }
        return bounds;
    }

    template <class Work>
    void run(std::size_t items, Work&& work) {
        const auto count = static_cast<std::int64_t>(items);
        progress_.total.store(
            std::max<std::int64_t>(1, (count + kBoardsPerJob - 1) / kBoardsPerJob));
        run_blocks(count, kBoardsPerJob, threads_, progress_,
                   [&](int thread, std::int64_t begin, std::int64_t end) {
                       work(thread, static_cast<std::size_t>(begin), static_cast<std::size_t>(end));
                   });
    }

    MoveTables move_tables_;
    const MoveTable* by_letter_[kPieces];
    decltype(DispatchTable::find_children) find_;
    int height_;
    int pieces_;
    int threads_;
    Progress& progress_;
};

}  // namespace

Graph build_graph(const Kicks& kicks, int height, int threads, Progress& progress) {
    return GraphBuilder(kicks, height, threads, progress).build();
}

}  // namespace sevenbag::pc
