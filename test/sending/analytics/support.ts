import { requireOpenStatement } from "../../../src/platform/db/shard-workspaces.ts";
import { onShard } from "../../../src/platform/jobs/shards.ts";
import type { EmailState } from "../../../src/sending/emails/timeline/index.ts";
import { emailColumns, RECIPIENT_COLUMNS } from "../../../src/sending/emails/timeline/rollup-columns.ts";
import { zeroCounts } from "../../../src/sending/emails/timeline/rollup-counts.ts";
import { rollupStatements } from "../../../src/sending/emails/timeline/rollups.ts";
import { database, FILE_SHARD } from "../../support/databases.ts";
import { run } from "../../support/sending.ts";
import { type TestWorkspace, testContext } from "../../support/workspace.ts";

export const HOUR_MS = 3_600_000;

/** Returns the hour since 1970 that began this many hours before the current one. */
export const hoursAgo = (hours: number) => Math.floor(Date.now() / HOUR_MS) - hours;

/**
 * Adds counts of recipients and, by the columns `emails_…`, of emails to the roll-ups of an hour, as the outcomes of emails do
 * that come in this moment.
 */
export async function aRollup(
  { workspaceNumber, workspaceId }: Pick<TestWorkspace, "workspaceNumber" | "workspaceId">,
  hour: number,
  domain: string,
  counts: Record<string, number>,
  shard = FILE_SHARD,
): Promise<void> {
  const ctx = onShard(testContext(), shard);
  const named = (of: string, columns: readonly (readonly [string, string])[]) => ({
    ...zeroCounts(hour * HOUR_MS, of),
    ...Object.fromEntries(columns.map(([column, name]) => [column, counts[name] ?? 0])),
  });
  const rollups = [
    named(
      domain,
      RECIPIENT_COLUMNS.map((column) => [column, column]),
    ),
    named("", Object.entries(emailColumns)),
  ];
  // The first email of a workspace adds the row by which the jobs find it.
  const open = requireOpenStatement(ctx, { number: workspaceNumber, id: workspaceId });
  const state = { workspace: workspaceNumber } as EmailState;
  await ctx.mail.batch([open, ...rollupStatements(ctx, [{ state, rollups }])]);
}

/** Makes no hour closed and no day rolled up, as in a database whose jobs have not run. */
export async function reopen(): Promise<void> {
  await run("DELETE FROM rollups_closed");
  await run("DELETE FROM rollups_progress");
}

/** Deletes every roll-up row of a workspace. */
export async function clear({ workspaceNumber }: Pick<TestWorkspace, "workspaceNumber">): Promise<void> {
  for (const table of ["rollups_hourly", "rollups_daily", "rollups_totals"])
    await database.run(`DELETE FROM ${table} WHERE workspace = ?1`, [workspaceNumber]);
}

/** Returns the body of an endpoint of analytics. */
export async function analytics<Body>(api: Pick<TestWorkspace, "get">, path: string): Promise<Body> {
  const response = await api.get(`/v1/analytics/${path}`);
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json<Body>();
}

export interface Point {
  timestamp: string;
  sent: number;
  delivered: number;
  bounced: number;
  soft_bounced: number;
  failed: number;
  opens: number;
}
