import type { MailCtx } from "../../../platform/context.ts";
import { guardedBatch } from "../../../platform/db/batch.ts";
import { personBytesSql } from "../../conditions/index.ts";
import type { Move, Run } from "../advance.ts";
import type { Status } from "../rules.ts";
import { type EngineLease, renewStatements } from "./lease.ts";

/** Runs of a page. Each costs some 2 KB of memory and at most one effect. */
export const RUNS_PER_PAGE = 200;
/** Bytes of people, definitions and data that a page reads, with one run at least. */
export const PAGE_BYTES = 8_000_000;
/** Workspaces of a page: each may cost some calls of its own. */
const WORKSPACES_PER_PAGE = 10;

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
  /** A move that was decided, whose effect may be done. */
  intent: Move | null;
}

interface Row {
  n: number;
  workspace: number;
  id: string;
  automation: number;
  automation_id: string;
  automation_status: Status;
  version: number;
  email_key: string;
  node: number | null;
  visit: number;
  due_at: number;
  wait_until: number | null;
  wait_event: string | null;
  entered_event: number;
  mark: number;
  data: string;
  intent: string | null;
  started_at: number;
  /** Runs that were due, up to the limit. */
  found: number;
}

// A definition is read once for all runs of its version, and a person once for all of theirs.
const FIND = `
  WITH due AS MATERIALIZED (SELECT n, due_at, version FROM automation_runs WHERE due_at <= ?1 ORDER BY due_at, n LIMIT ?2),
  sized AS (
    SELECT d.*, octet_length(r.data) + coalesce(octet_length(r.intent), 0)
             + iif(row_number() OVER (PARTITION BY r.workspace, r.email_key ORDER BY d.due_at, d.n) = 1,
                 ${personBytesSql("r.workspace", "r.email_key")}, 0)
             + iif(row_number() OVER (PARTITION BY d.version ORDER BY d.due_at, d.n) = 1, coalesce(octet_length(v.definition), 0), 0) AS bytes
      FROM due d CROSS JOIN automation_runs r ON r.n = d.n LEFT JOIN automation_versions v ON v.n = d.version),
  page AS (SELECT n, bytes, sum(bytes) OVER (ORDER BY due_at, n) AS total FROM sized)
  SELECT (SELECT count(*) FROM due) AS found,
         r.n, r.workspace, r.id, r.automation, r.version, r.email_key, r.node, r.visit, r.due_at, r.wait_until, r.wait_event, r.entered_event,
         r.mark, r.data, r.intent, r.started_at, a.id AS automation_id, a.status AS automation_status
    FROM page p CROSS JOIN automation_runs r ON r.n = p.n CROSS JOIN automations a ON a.n = r.automation
   WHERE p.total <= ${PAGE_BYTES} OR p.total = p.bytes ORDER BY r.due_at, r.n`;

/** Runs that are due, the oldest first, and the last event that was written before they were read. */
export interface DuePage {
  runs: DueRun[];
  mark: number;
  /** Others were due too. */
  hasMore: boolean;
}

/** Renews the lease and reads at most `limit` runs that are due, in one D1 call. Throws ConcurrencyError when the lease was lost. */
export async function readDue(ctx: MailCtx, lease: EngineLease, limit: number): Promise<DuePage> {
  const db = ctx.mail;
  const [, , found, last] = await guardedBatch(db, [
    ...renewStatements(ctx, lease),
    db.prepare(FIND).bind(ctx.now(), limit),
    db.prepare("SELECT coalesce(max(n), 0) AS n FROM events"),
  ]);
  const rows = (found?.results ?? []) as Row[];
  const workspaces = new Set([...new Set(rows.map(({ workspace }) => workspace))].slice(0, WORKSPACES_PER_PAGE));
  const chosen = rows.filter(({ workspace }) => workspaces.has(workspace));
  return {
    runs: chosen.map(toDueRun),
    mark: (last?.results[0] as { n: number } | undefined)?.n ?? 0,
    hasMore: rows.length === limit || chosen.length < (rows[0]?.found ?? 0),
  };
}

function toDueRun(row: Row): DueRun {
  const wait = row.wait_until === null ? null : { until: row.wait_until, event: row.wait_event };
  return {
    n: row.n,
    workspace: row.workspace,
    automation: row.automation,
    automationId: row.automation_id,
    status: row.automation_status,
    version: row.version,
    key: row.email_key,
    dueAt: row.due_at,
    enteredEvent: row.entered_event,
    mark: row.mark,
    startedAt: row.started_at,
    run: { id: row.id, node: row.node, visit: row.visit, wait, data: JSON.parse(row.data) as Record<string, unknown> },
    intent: row.intent === null ? null : (JSON.parse(row.intent) as Move),
  };
}
