// Messages of the site to its pages. Pairs are by seat.

/** @typedef {[letter: string, orientation: number, row: number, column: number]} FallingPiece */

/**
 * @typedef {{
 *   colors: Record<string, string>,
 *   shapes: Record<string, [row: number, column: number][][]>,
 * }} DrawingData  `shapes` by letter and orientation, from the origin
 */

/** @typedef {"waiting" | "assigned" | "playing" | "between_games" | "finished"} LiveStatus */

/**
 * @typedef {{
 *   event: "match_frame",
 *   match: number,
 *   status: LiveStatus,
 *   game: string,
 *   boards: [string, string],
 *   pieces: [FallingPiece | null, FallingPiece | null],
 *   queue: string,
 *   clears: [number: number, seat: number, rows: number[]][],
 *   garbage_rises: [number: number, seat: number, rows: number][],
 *   scores: [number, number] | null,
 *   lines: [number, number] | null,
 *   locked: [number, number] | null,
 *   games: [number, number] | null,
 *   level: number | null,
 * }} MatchFrame  `boards`: letters of all cells, row by row from the top left
 */

/**
 * @typedef {{
 *   event: "game_finished",
 *   match: number,
 *   game: string,
 *   winner: number | null,
 *   scores: [number, number],
 * }} GameFinished
 */

/** @typedef {{ event: "match_finished", match: number }} MatchFinished */
/** @typedef {{ event: "contest_changed", matches: number[] }} ContestChanged  pages have to be loaded again */
/** @typedef {MatchFrame | GameFinished | MatchFinished | ContestChanged} LiveEvent */

/**
 * @typedef {{
 *   t: number,
 *   b?: [string | null, string | null],
 *   p?: [FallingPiece | null, FallingPiece | null],
 *   q?: string,
 *   s?: [number, number],
 *   l?: [number, number],
 *   v?: number,
 *   c?: [seat: number, rows: number[]][],
 *   r?: [seat: number, rows: number][],
 * }} ReplayFrame  change after `t` milliseconds: boards, pieces, queue, scores, lines, level, clears,
 *   garbage rises; missing fields are unchanged
 */

/**
 * @typedef {{
 *   teams: [string, string],
 *   winner: number,
 *   ending: string,
 *   scores: [number, number],
 *   milliseconds: number,
 *   frames: ReplayFrame[],
 * }} ReplayAnimation
 */

export {};
