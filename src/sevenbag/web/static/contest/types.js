// What the site tells its pages. Pairs are by seat.

/** @typedef {[letter: string, orientation: number, row: number, column: number]} Falling */

/**
 * @typedef {{
 *   colors: Record<string, string>,
 *   shapes: Record<string, [row: number, column: number][][]>,
 * }} Facts  `shapes` by letter and orientation, from the origin
 */

/** @typedef {"waiting" | "placed" | "playing" | "pause" | "over"} Standing */

/**
 * @typedef {{
 *   event: "picture",
 *   match: number,
 *   standing: Standing,
 *   game: string,
 *   boards: [string, string],
 *   pieces: [Falling | null, Falling | null],
 *   queue: string,
 *   clears: [number: number, seat: number, rows: number[]][],
 *   rises: [number: number, seat: number, rows: number][],
 *   scores: [number, number] | null,
 *   lines: [number, number] | null,
 *   locked: [number, number] | null,
 *   games: [number, number] | null,
 *   level: number | null,
 * }} Picture  `boards`: letters of all cells along the rows, the top left one first
 */

/**
 * @typedef {{
 *   event: "game over",
 *   match: number,
 *   game: string,
 *   winner: number | null,
 *   scores: [number, number],
 * }} GameOver
 */

/** @typedef {{ event: "match over", match: number }} MatchOver */
/** @typedef {{ event: "changed", matches: number[] }} Changed  what is written may be old */
/** @typedef {Picture | GameOver | MatchOver | Changed} LiveEvent */

/**
 * @typedef {{
 *   t: number,
 *   b?: [string | null, string | null],
 *   p?: [Falling | null, Falling | null],
 *   q?: string,
 *   s?: [number, number],
 *   l?: [number, number],
 *   v?: number,
 *   c?: [seat: number, rows: number[]][],
 *   r?: [seat: number, rows: number][],
 * }} Change  of a replay, after `t` milliseconds: boards, pieces, queue, scores, lines, level, clears,
 *   rises; what is missing stays as it was
 */

/**
 * @typedef {{
 *   teams: [string, string],
 *   winner: number,
 *   ending: string,
 *   scores: [number, number],
 *   milliseconds: number,
 *   changes: Change[],
 * }} Playback
 */

export {};
