import { getTableColumns, getTableName } from "drizzle-orm";
import type { MailCtx } from "../../platform/context.ts";
import * as mail from "../../platform/db/schema/mail/index.ts";
import { addWorkspacesStatement } from "../../platform/db/shard-workspaces.ts";
import { shardSql } from "../../platform/jobs/shards.ts";
import type { Steps } from "../../platform/jobs/turns.ts";
import { workspaceSteps } from "../../platform/jobs/workspace-steps.ts";

/** Rows of a table that are read. A smaller table is read whole. */
const SAMPLE = 5_000;
/** Rows by which a workspace is known to have more than its share: what fewer show is a guess. */
const LEAST_ROWS = 20;

/** The tables that fill a mail database. */
const TABLES = [
  mail.emails,
  mail.contacts,
  mail.events,
  mail.broadcasts,
  mail.broadcastVariants,
  mail.automationVersions,
  mail.automationRuns,
  mail.inboundEmails,
  mail.webhookDeliveries,
].map((table) => {
  const name = getTableName(table);
  const octets = Object.values(getTableColumns(table)).map((column) => `ifnull(octet_length(t.${column.name}), 0)`);
  return {
    name,
    findNumbers: `SELECT (SELECT min(n) FROM ${name}) AS first, (SELECT max(n) FROM ${name}) AS last`,
    read: `
      SELECT t.workspace, count(*) AS rows, sum(${octets.join(" + ")}) AS bytes
        FROM json_each(?1) j CROSS JOIN ${name} t ON t.n = j.value GROUP BY t.workspace`,
  };
});

const FIND_UNKNOWN =
  "SELECT value FROM json_each(?1) WHERE NOT EXISTS (SELECT 1 FROM shard_workspaces WHERE number = value)";
const FIND_IDS =
  "SELECT number, id FROM workspaces WHERE number IN (SELECT value FROM json_each(?1)) AND deleted_at IS NULL";

const SAVE = `
  UPDATE shard_workspaces SET stored = coalesce(?1->('$."' || number || '"'), '{}')
   WHERE number BETWEEN ?2 AND ?3 AND stored <> coalesce(?1->('$."' || number || '"'), '{}')`;

const COUNT_OPEN = "SELECT count(*) AS workspaces FROM shard_workspaces WHERE status = 'open'";

// A workspace that the JSON does not have is within its share.
const SAVE_SHARES = `
  UPDATE workspaces SET stored = json_patch(stored, json_object('over_share', ?1->>('$."' || number || '"')))
   WHERE number IN (SELECT key FROM json_each(?1)) OR (stored->>'$.over_share' IS NOT NULL AND ${shardSql("workspaces")} = ?2)`;

/** The rows and bytes of a workspace by a sample. */
interface Estimate {
  /** Rows by the names of their tables. */
  rows: Record<string, number>;
  bytes: number;
  /** Rows of it that were read, at most of one table. */
  read: number;
}

/**
 * Estimates, by rows drawn by chance from each large table, how many rows and bytes each workspace has in a mail database, and marks those
 * with more than their equal share of a database from SHARD_WARNING_LIMIT on: they are refused first (`requireMailSpace`).
 */
export async function* sampleRows(ctx: MailCtx): Steps {
  const found = new Map<number, Estimate>();
  for (const table of TABLES) {
    await addSample(ctx, table, found);
    yield;
  }
  await addUnknown(ctx, [...found.keys()]);
  // Indexes, other tables and what rows take beside their values are shared in the same proportion.
  const { results, meta } = await ctx.mail.prepare(COUNT_OPEN).all<{ workspaces: number }>();
  const size = meta.size_after;
  const scale = size / [...found.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  for (const estimate of found.values()) estimate.bytes = rounded(estimate.bytes * scale);
  for (const { first, last } of await workspaceSteps(ctx)) {
    const here = [...found].filter(([workspace]) => workspace >= first && workspace <= last);
    const stored = here.map(([workspace, { rows, bytes }]) => [workspace, { ...rows, bytes }]);
    await ctx.mail.execute(SAVE, JSON.stringify(Object.fromEntries(stored)), first, last);
    yield;
  }
  const { accept, warning } = ctx.settings.shardLimits;
  const share = accept / Math.max(1, results[0]?.workspaces ?? 1);
  const above = size < warning ? [] : listAbove(share, found);
  await ctx.db.execute(SAVE_SHARES, JSON.stringify(Object.fromEntries(above)), ctx.shard);
}

async function addSample(
  ctx: MailCtx,
  { name, findNumbers, read }: (typeof TABLES)[number],
  found: Map<number, Estimate>,
) {
  const range = await ctx.mail.findRow<{ first: number | null; last: number | null }>(findNumbers);
  // An empty table has neither.
  if (range?.first == null || range.last === null) return;
  const numbers = draw(range.first, range.last);
  const scale = (range.last - range.first + 1) / numbers.length;
  type Row = { workspace: number; rows: number; bytes: number };
  for (const { workspace, rows, bytes } of await ctx.mail.listRows<Row>(read, JSON.stringify(numbers))) {
    const before = found.get(workspace) ?? { rows: {}, bytes: 0, read: 0 };
    found.set(workspace, {
      rows: { ...before.rows, [name]: rounded(rows * scale) },
      bytes: before.bytes + bytes * scale,
      read: Math.max(before.read, rows),
    });
  }
}

/** Adds rows of workspaces to which nothing was sent yet. */
async function addUnknown(ctx: MailCtx, numbers: readonly number[]): Promise<void> {
  const unknown = await ctx.mail.listRows<{ value: number }>(FIND_UNKNOWN, JSON.stringify(numbers));
  if (unknown.length === 0) return;
  const values = JSON.stringify(unknown.map(({ value }) => value));
  const workspaces = await ctx.db.listRows<{ number: number; id: string }>(FIND_IDS, values);
  await addWorkspacesStatement(ctx, workspaces).run();
}

/** Returns numbers from the first to the last: all of them, or SAMPLE by chance. */
function draw(first: number, last: number): number[] {
  const count = last - first + 1;
  if (count <= SAMPLE) return Array.from({ length: count }, (_, index) => first + index);
  return [...new Set(Array.from({ length: SAMPLE }, () => first + Math.floor(Math.random() * count)))];
}

/** Returns the numbers and the bytes of the workspaces that surely have more bytes than a share. */
const listAbove = (share: number, found: ReadonlyMap<number, Estimate>): [number, number][] =>
  [...found].flatMap(([workspace, { bytes, read }]): [number, number][] =>
    read >= LEAST_ROWS && bytes > share ? [[workspace, bytes]] : [],
  );

/** Returns a number with three digits that count, so that only a change that matters writes a row. */
const rounded = (value: number): number => Number(value.toPrecision(3));
