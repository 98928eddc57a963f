/** Statuses and limits of automations (docs/contract/automations.md#statuses). Pure. */

export const limits = {
  steps: 100,
  /** Levels of branches inside branches. */
  depth: 10,
  nameCharacters: 200,
  /** Bytes of an automation as JSON. */
  bytes: 1_000_000,
  waitMinutes: 366 * 24 * 60,
  emailsPerDay: 100,
  messageCharacters: 1_000,
  fieldCharacters: 128,
  valueCharacters: 1_000,
  eventCharacters: 64,
  exitEvents: 10,
  /** Entries of the history of a run: the oldest effects are not dropped, since a graph without loops visits each step once. */
  history: 300,
  /** Automations that caused one another in a row: an event behind so many begins no run. */
  hops: 5,
} as const;

export const statuses = ["draft", "active", "paused", "archived"] as const;
export type Status = (typeof statuses)[number];

/** Changes that callers and the service make to an automation. `edit` of an active one makes a new version. */
const changes = ["edit", "activate", "pause", "archive"] as const;
export type Change = (typeof changes)[number];

/** Every allowed change with the status after it. */
const transitions: readonly { from: Status; on: Change; to: Status }[] = [
  { from: "draft", on: "edit", to: "draft" },
  { from: "draft", on: "activate", to: "active" },
  { from: "draft", on: "archive", to: "archived" },
  { from: "active", on: "edit", to: "active" },
  { from: "active", on: "pause", to: "paused" },
  { from: "active", on: "archive", to: "archived" },
  { from: "paused", on: "edit", to: "paused" },
  { from: "paused", on: "activate", to: "active" },
  { from: "paused", on: "archive", to: "archived" },
];

/** Returns the status after a change, or null when the status does not allow it. */
export function statusAfter(from: Status, on: Change): Status | null {
  return transitions.find((row) => row.from === from && row.on === on)?.to ?? null;
}

/** Statuses of a run. `active`: it has steps before it. */
export const runStatuses = ["active", "completed", "exited", "removed"] as const;
export type RunStatus = (typeof runStatuses)[number];
