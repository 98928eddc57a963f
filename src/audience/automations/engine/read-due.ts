import type { MailCtx, MailStatement } from "../../../platform/context.ts";
import { guardedBatch } from "../../../platform/db/batch.ts";
import { withinBytes } from "../../../platform/db/byte-pages.ts";
import { rowsInTurns, someTurns } from "../../../platform/db/workspace-turns.ts";
import { personBytesSql } from "../../conditions/index.ts";
import type { Run } from "../advance.ts";
import type { Status } from "../rules.ts";
import { type EngineLease, renewStatements, WAITING_RUNS } from "./lease.ts";

/** Runs of a page. Each costs some 2 KB of memory and at most one effect. */
export const RUNS_PER_PAGE = 200;
/** Bytes of people, definitions and data that a page reads, with one run at least. */
export const PAGE_BYTES = 8_000_000;
/** Workspaces of a page: each may cost some calls of its own. */
const WORKSPACES_PER_PAGE = 10;
/** Workspaces with waiting runs that a page looks at to find those with due ones. */
const WORKSPACES_LOOKED_AT = 1_000;

/** A run that is due. */
export interface DueRun {
  n: number;
  workspace: number;
  automation: number;
  automationId: string;
  status: Status;
  version: number;
  key: string;
  dueAt: number;
  enteredEvent: number;
  /** Number of the last event before its last move. */
  mark: number;
  startedAt: number;
  run: Run;
}

interface Row extends Omit<DueRun, "run">, Omit<Run, "wait" | "data"> {
  waitUntil: number | null;
  waitEvent: string | null;
  data: string;
  /** Runs that were due, up to the limit. */
  found: number;
}

/** SQL of the tables up to `first`: the runs of a page, those of each workspace in turn. ?1: now; ?2: runs; ?3: where the turns begin. */
const FIRST_DUE = `RECURSIVE ${someTurns(WAITING_RUNS, "?3", WORKSPACES_LOOKED_AT)}, ${rowsInTurns({
  exists: "SELECT 1 FROM automation_runs WHERE workspace = t.workspace AND due_at <= ?1",
  rows: "SELECT n AS id FROM automation_runs WHERE workspace = t.workspace AND due_at <= ?1 ORDER BY due_at, n",
  limit: "?2",
  workspaces: WORKSPACES_PER_PAGE,
})}, first AS MATERIALIZED (
    SELECT d.turn, r.due_at, r.n, r.version FROM due d CROSS JOIN automation_runs r ON r.n = d.id ORDER BY 1, 2, 3 LIMIT CAST(?2 AS INTEGER))`;

// A definition is read once for all runs of its version, and a person once for all of theirs.
const FIND = `
  WITH ${FIRST_DUE}, sized AS (
    SELECT f.*, octet_length(r.data)
             + iif(row_number() OVER (PARTITION BY r.workspace, r.email_key ORDER BY f.turn, f.due_at, f.n) = 1,
                 ${personBytesSql("r.workspace", "r.email_key")}, 0)
             + iif(row_number() OVER (PARTITION BY f.version ORDER BY f.turn, f.due_at, f.n) = 1,
                 coalesce(octet_length(v.definition), 0), 0) AS bytes
      FROM first f CROSS JOIN automation_runs r ON r.n = f.n LEFT JOIN automation_versions v ON v.n = f.version)
  SELECT p.found, r.n, r.workspace, r.id, r.automation, r.version, r.email_key AS key, r.node, r.visit, r.due_at AS dueAt, r.wait_until AS waitUntil,
         r.wait_event AS waitEvent, r.entered_event AS enteredEvent, r.mark, r.data, r.started_at AS startedAt, a.id AS automationId, a.status
    FROM (${withinBytes("SELECT * FROM sized ORDER BY turn, due_at, n", PAGE_BYTES)}) p
   CROSS JOIN automation_runs r ON r.n = p.n CROSS JOIN automations a ON a.n = r.automation ORDER BY p.turn, r.due_at, r.n`;

/** Runs that are due, those of each workspace in turn, and the last event that was written before they were read. */
export interface DuePage {
  runs: DueRun[];
  mark: number;
  /** Others were due too. */
  hasMore: boolean;
}

/** The runs of a page: most of them, and the part of the workspaces (0 to 1) from which their turns begin. */
export interface PlaceOfPage {
  size: number;
  start: number;
}

/** Renews the lease and reads runs that are due, in one D1 call. Throws ConcurrencyError when the lease was lost. */
export async function readDue(ctx: MailCtx, lease: EngineLease, { size, start }: PlaceOfPage): Promise<DuePage> {
  const db = ctx.mail;
  const [, , found, last] = await guardedBatch(db, [
    ...renewStatements(ctx, lease),
    db.prepare(FIND).bind(ctx.now(), size, start),
    db.prepare("SELECT coalesce(max(n), 0) AS n FROM events"),
  ]);
  const rows = (found?.results ?? []) as Row[];
  return {
    runs: rows.map(toDueRun),
    mark: (last?.results[0] as { n: number } | undefined)?.n ?? 0,
    hasMore: rows.length === size || rows.length < (rows[0]?.found ?? 0),
  };
}

/** Wait of a run after its first move that ended with an error, in milliseconds; three times as long after each further one. */
const FIRST_WAIT_MS = 10_000;
/** Failures from which the wait grows no more: about an hour. */
const MAX_FAILURES = 6;

// The lease keeps other runs of the engine away.
const POSTPONE = `
  WITH ${FIRST_DUE}
  UPDATE automation_runs SET failures = failures + 1, due_at = ?1 + ${FIRST_WAIT_MS} * CASE min(failures, ${MAX_FAILURES})
    ${Array.from({ length: MAX_FAILURES + 1 }, (_, failures) => `WHEN ${failures} THEN ${3 ** failures}`).join(" ")} END
   WHERE n = (SELECT n FROM first)`;

/** Returns the statement that makes the first run of a page wait. */
export const postponeRun = (ctx: MailCtx, { start }: PlaceOfPage): MailStatement =>
  ctx.mail.prepare(POSTPONE).bind(ctx.now(), 1, start);

function toDueRun({ id, node, visit, waitUntil, waitEvent, data, ...due }: Row): DueRun {
  const wait = waitUntil === null ? null : { until: waitUntil, event: waitEvent };
  return { ...due, run: { id, node, visit, wait, data: JSON.parse(data) as Record<string, unknown> } };
}
