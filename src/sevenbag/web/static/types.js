// What goes between the page and its server; the server's side is in setup.py, view.py, tunnel.py.

/**
 * @typedef {{
 *   colors: Record<string, string>,
 *   shapes: Record<string, boolean[][]>,
 *   visible: Record<string, [number, number]>,
 * }} Facts  colours of cells, pieces as they appear, width and visible rows of each preset
 *
 * @typedef {{ kind: "house", spec: string } | { kind: "worker", script: string }} PlayerSetup
 * @typedef {{
 *   players: [PlayerSetup, PlayerSetup], rules: string, seed: number | null, pieces: number,
 *   milliseconds: number | null, nodes: number | null, pps: number | null, patience: number,
 * }} Setup
 *
 * @typedef {{
 *   name: string, rows: string[], hold: string | null, queue: string[], pending: number,
 *   figures: [string, string][], times: number[], clear: string, clears: number,
 *   fall: string | null, won: boolean,
 * }} Side
 *
 * @typedef {{ event: "start_worker", number: number, seat: number }} StartWorker
 * @typedef {{ event: "end_worker", number: number }} EndWorker
 * @typedef {{ event: "opened", names: [string, string], lines: [string, string], rules: string,
 *   seed: number }} Opened
 * @typedef {{ event: "picture", sides: [Side, Side], caption: string }} Picture
 * @typedef {{ event: "over", text: string, winner: number | null, sides: [Side, Side] | null,
 *   replay: string | null, file: string | null }} Over
 * @typedef {{ event: "refused", reason: string }} Refused
 * @typedef {StartWorker | EndWorker | Opened | Picture | Over | Refused} ServerEvent
 *
 * @typedef {{ script: string, start: () => Worker }} WorkerSource  what it is called, how it starts
 * @typedef {{ setup: Setup, sources: [WorkerSource | null, WorkerSource | null] }} Wanted
 */

export {};
