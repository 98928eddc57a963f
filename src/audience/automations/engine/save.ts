import type { MailCtx, MailStatement } from "../../../platform/context.ts";
import { expectChanges } from "../../../platform/db/batch.ts";
import { jsonChunks, jsonGroups } from "../../../platform/db/json-chunks.ts";
import type { Move } from "../advance.ts";
import { addedHistorySql, toHistory } from "../history.ts";
import type { DueRun } from "./read-due.ts";

/** A run with its next state. */
export interface Moved {
  due: DueRun;
  move: Move;
  /** Number of the event up to which it has been looked at. */
  mark: number;
  /** It is held: `dueAt` is when its automation is active again. */
  isHeld?: true;
}

// The visit and the time name the state that was read: a run that was taken out or erased meanwhile has another. A version before
// 2026-11-29 has written `intent`, and would repeat it.
const MOVE = `
  UPDATE automation_runs AS r SET node = j.value->>'node', visit = j.value->>'visit', due_at = j.value->>'dueAt',
    wait_until = j.value->>'waitUntil', wait_event = j.value->>'waitEvent', is_held = j.value->>'isHeld', mark = j.value->>'mark',
    data = coalesce(j.value->>'data', r.data), history = ${addedHistorySql("(j.value->>'history')")}, status = j.value->>'status',
    ended_at = j.value->>'endedAt', intent = NULL, failures = 0
  FROM json_each(?1) j WHERE r.n = j.value->>'n' AND r.visit = j.value->>'from' AND r.due_at = j.value->>'fromDue'`;

const COUNT = `
  INSERT INTO automation_counts (version, step, workspace, runs)
  SELECT value->>'version', value->>'step', value->>'workspace', value->>'runs' FROM json_each(?1) WHERE true
  ON CONFLICT DO UPDATE SET runs = runs + excluded.runs`;

/** Returns the statements that move runs and count their steps. ConcurrencyError rolls them back when a run is not as it was read. */
export function moveStatements(ctx: MailCtx, moved: readonly Moved[]): MailStatement[] {
  const db = ctx.mail;
  const rows = moved.map(({ due, move, mark, isHeld = false }) => ({
    n: due.n,
    from: due.run.visit,
    fromDue: due.dueAt,
    node: move.run.node,
    visit: move.run.visit,
    dueAt: isHeld ? null : move.dueAt,
    waitUntil: move.run.wait?.until ?? null,
    waitEvent: move.run.wait?.event ?? null,
    isHeld: Number(isHeld),
    mark,
    data: move.run.data === due.run.data ? null : JSON.stringify(move.run.data),
    history: toHistory(move.history),
    status: move.status,
    endedAt: move.status === "active" ? null : ctx.now(),
  }));
  const updates = jsonGroups(rows.map((row) => JSON.stringify(row))).flatMap(({ json, count }) => [
    db.prepare(MOVE).bind(json),
    expectChanges(db, count),
  ]);
  const counts = db.prepare(COUNT);
  return [
    ...updates,
    ...jsonChunks(countsOf(moved).map((row) => JSON.stringify(row))).map((chunk) => counts.bind(chunk)),
  ];
}

function countsOf(moved: readonly Moved[]) {
  const counts = new Map<string, { version: number; step: string; workspace: number; runs: number }>();
  const add = ({ version, workspace }: DueRun, step: string) => {
    const key = `${version} ${step}`;
    const runs = (counts.get(key)?.runs ?? 0) + 1;
    counts.set(key, { version, step, workspace, runs });
  };
  for (const { due, move } of moved) {
    for (const path of move.entered) add(due, path);
    if (move.status !== "active") add(due, move.status);
  }
  return [...counts.values()];
}
