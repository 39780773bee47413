// Game of one player: board, queue, hold, counters, garbage, statistics. Moves are placements; the
// caller passes the time in frames of 1/60 s.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "board.hpp"
#include "colored_board.hpp"
#include "garbage.hpp"
#include "lock_result.hpp"
#include "movegen.hpp"
#include "piece.hpp"
#include "piece_queue.hpp"
#include "rules.hpp"

namespace sevenbag {

inline constexpr int kMaxAttackers = 1000;

class Game {
  public:
    // `seed` decides the pieces, `garbage_seed` the holes. Throws Error(rules).
    Game(std::shared_ptr<const Rules> rules, std::int64_t seed, std::int64_t garbage_seed);

    // Begin elsewhere than on an empty board. Throws Error(board) if the size is not the rules',
    // and Error(rules) for impossible counters.
    void start_from(const Board& board, const Counters& counters);

    const Rules& rules() const { return *rules_; }
    const std::shared_ptr<const Rules>& shared_rules() const { return rules_; }
    const Board& board() const { return colored_board_.board; }
    const ColorGrid& grid() const { return colored_board_.grid; }
    // The board that moving pieces collide with; the board itself if all of its rows are solid.
    const Board& solid() const { return rules_->all_solid() ? colored_board_.board : solid_; }
    const Counters& counters() const { return counters_; }
    const GarbageQueue& garbage() const { return garbage_; }
    const Stats& stats() const { return stats_; }
    const LockResult& last_lock() const { return lock_; }
    int frame() const { return frame_; }
    TopOut top_out() const { return top_out_; }
    bool is_over() const { return top_out_ != TopOut::none; }

    Piece current() const { return current_; }
    std::optional<Piece> held() const { return held_; }
    // The i-th preview, below Rules::previews.
    Piece preview(int i) const { return queue_.peek(i); }
    // The piece that the hold key would bring: the held piece or the first preview. None without
    // hold, or if that piece is not visible.
    std::optional<Piece> offered_by_hold() const;
    // The bag of the first piece that is not visible; none if bags are unknown.
    std::optional<PieceCounts> bag() const;

    // The spawn position of a piece now; none if it is blocked.
    std::optional<Spawn> spawn_of(Piece piece) const;

    // Every placement of the current piece, then of the one that hold offers if it is another.
    void placements(bool with_hold, std::vector<Placement>& out) const;

    // The contents of a full bag; none if bags are unknown.
    std::optional<PieceCounts> filled_bag() const;

    // All placements of one of the two pieces; `holds` selects the piece offered by hold.
    void list_moves(Piece piece, bool holds, PlacementList& out) const;

    // Receive an attack sent at `frame`; lines that enter at once are added to the last lock.
    // Throws Error(rules) for invalid numbers.
    void receive(int lines, int frame);

    // Set the number of players who target this one.
    void set_attackers(int attackers);

    // A move as the rules see it.
    struct Move {
        Placement placement;  // with the spin detected by the kernel
        bool hold;
    };

    // Find the legal move for a placement: whether it uses hold (if not given, derived from its
    // piece) and its spin (a claimed spin only selects between two moves with the same cells).
    // Throws Error(placement).
    Move find_move(const Placement& placement, std::optional<bool> hold = std::nullopt) const;

    // Play a move returned by `find_move` or listed by `placements`, at `frame`, or now if that
    // frame has passed. The result is valid until the next move.
    const LockResult& play(const Move& move, int frame);

    // Throw Error(rules) for a frame beyond one day.
    static void check_frame(int frame);

  private:
    void advance_time(int frame);
    // Spins that the current piece passes on to the piece offered by hold.
    InheritedSpins spins_inherited_by_hold(Piece next) const;
    void take_from_queue();
    void swap_hold(const Move& move);
    void enter_garbage();
    void push(const std::vector<HoleMask>& rows);
    void update_solid_board();
    void next_piece();

    std::shared_ptr<const Rules> rules_;
    ColoredBoard colored_board_;
    Board solid_;               // stored only if it differs from the board
    mutable PieceQueue queue_;  // deals pieces on demand, even through const access
    GarbageQueue garbage_;
    Counters counters_;
    Stats stats_;
    LockResult lock_;
    GrowingValue multiplier_;
    GrowingValue cap_;
    int frame_ = 0;
    int attackers_ = 0;
    bool cleared_ = false;  // the last lock cleared rows
    TopOut top_out_ = TopOut::none;
    Piece current_;
    std::optional<Piece> held_;
};

}  // namespace sevenbag
