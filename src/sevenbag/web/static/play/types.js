// Messages between the page and its server; see match_host.py, page_observer.py and page_connection.py.

/**
 * @typedef {{
 *   colors: Record<string, string>,
 *   shapes: Record<string, boolean[][]>,
 *   visible: Record<string, [number, number]>,
 * }} DrawingData  colours of cells, shapes of pieces, columns and visible rows of each preset
 *
 * @typedef {{ kind: "builtin", spec: string } | { kind: "worker", script: string }} PlayerRequest
 * @typedef {{
 *   players: [PlayerRequest, PlayerRequest], rules: string, seed: number | null, pieces: number,
 *   milliseconds: number | null, nodes: number | null, pps: number | null, timeout: number,
 * }} MatchRequest
 *
 * @typedef {{
 *   name: string, rows: string[], hold: string | null, queue: string[], pending: number,
 *   statistics: [string, string][], think_times: number[], clear_text: string, clear_count: number,
 *   loss: string | null, is_winner: boolean,
 * }} PlayerPanel
 *
 * @typedef {{ event: "start_worker", number: number, player: number }} StartWorker
 * @typedef {{ event: "stop_worker", number: number }} StopWorker
 * @typedef {{ event: "match_started", names: [string, string], descriptions: [string, string],
 *   rules: string, seed: number }} MatchStarted
 * @typedef {{ event: "match_state", players: [PlayerPanel, PlayerPanel], caption: string }} MatchState
 * @typedef {{ event: "match_finished", summary: string, winner: number | null,
 *   players: [PlayerPanel, PlayerPanel] | null, replay_url: string | null,
 *   file_name: string | null }} MatchFinished
 * @typedef {{ event: "match_rejected", reason: string }} MatchRejected
 * @typedef {StartWorker | StopWorker | MatchStarted | MatchState | MatchFinished | MatchRejected} ServerEvent
 *
 * @typedef {{ script: string, start: () => Worker }} WorkerSource  `script`: name for display
 * @typedef {{ match: MatchRequest, sources: [WorkerSource | null, WorkerSource | null] }} StartRequest
 */

export {};
