import type { CallerCtx } from "../../access/caller.ts";
import { requireFound } from "../../lib/errors.ts";
import { parseUuid } from "../../lib/ids.ts";
import { serialize } from "../../lib/serialize.ts";
import type { MailCtx } from "../../platform/context.ts";
import type { automations } from "../../platform/db/schema/mail/index.ts";
import type { Definition } from "./definition.ts";
import { readableOf } from "./readable.ts";
import { runStatuses, type Status } from "./rules.ts";
import { AutomationOut } from "./schema.ts";

/** A row of `automations` with its counts. Times in milliseconds since 1970. */
export interface AutomationRow
  extends Omit<typeof automations.$inferSelect, "size" | "triggerEvent" | "sweep" | "sweepAfter"> {
  /** JSON object: runs of all versions by status and `entered`. */
  runs: string;
  /** JSON object: runs of the version that people enter by path of the step. */
  steps: string;
}

// Counts are a row for each version and step: at most some hundred.
const COLUMNS = `a.n, a.workspace, a.id, a.user_id AS userId, a.name, a.status, a.edit, a.definition, a.version,
  a.version_number AS versionNumber, a.pause_reason AS pauseReason, a.created_at AS createdAt, a.updated_at AS updatedAt,
  (SELECT json_group_object(step, runs) FROM (
     SELECT c.step, sum(c.runs) AS runs FROM automation_versions v CROSS JOIN automation_counts c ON c.version = v.n
      WHERE v.automation = a.n AND c.step IN ('entered', 'completed', 'exited', 'removed') GROUP BY c.step)) AS runs,
  (SELECT json_group_object(c.step, c.runs) FROM automation_counts c WHERE c.version = a.version) AS steps`;

/** Returns an automation of the workspace. Throws 404 for a malformed or unknown id, and for one that the caller may not read. */
export async function getAutomation(ctx: CallerCtx, id: string): Promise<AutomationRow> {
  const row = await findAutomation(ctx, ctx.workspace.number, parseUuid(id) ?? "");
  const [readable] = row ? await readableOf(ctx, [row]) : [];
  return requireFound(readable, "Automation");
}

/** Returns an automation of a workspace by its id, or null. */
export function findAutomation(ctx: MailCtx, workspace: number, id: string): Promise<AutomationRow | null> {
  const sql = `SELECT ${COLUMNS} FROM automations a WHERE a.workspace = ?1 AND a.id = ?2`;
  return ctx.mail.findRow<AutomationRow>(sql, workspace, id);
}

/** Bytes of definitions that one page of the list has, after one automation at least. */
const PAGE_BYTES = 2_000_000;

// The inner query reads no definitions: `total` decides which rows the page has.
const LIST = `
  WITH page AS MATERIALIZED (
    SELECT n, size, sum(size) OVER (ORDER BY id DESC) AS total FROM (
      SELECT n, id, size FROM automations WHERE workspace = ?1 AND (?2 IS NULL OR status = ?2) AND id < ?3 ORDER BY id DESC LIMIT ?4))
  SELECT ${COLUMNS}, (SELECT count(*) FROM page) AS found FROM page CROSS JOIN automations a ON a.n = page.n
   WHERE page.total - page.size < ?5 ORDER BY a.id DESC`;

/** Greater than every UUID. */
const LAST_ID = "g";

/**
 * Returns automations of the caller's workspace that it may read, newest first: at most `limit` of them and about PAGE_BYTES. `next` is the
 * id to continue below, or null on the last page.
 */
export async function listAutomations(
  ctx: CallerCtx,
  { status, before, limit }: { status?: Status | undefined; before?: string | undefined; limit: number },
): Promise<{ automations: readonly AutomationRow[]; next: string | null }> {
  const values = [ctx.workspace.number, status ?? null, before ?? LAST_ID, limit + 1, PAGE_BYTES];
  const results = await ctx.mail.listRows<AutomationRow & { found: number }>(LIST, ...values);
  const page = results.slice(0, limit);
  const hasMore = page.length < (results[0]?.found ?? 0);
  return { automations: await readableOf(ctx, page), next: hasMore ? (page.at(-1)?.id ?? null) : null };
}

/** Returns an automation as the API shows it. */
export function toAutomation(row: AutomationRow): AutomationOut {
  const definition = JSON.parse(row.definition) as Definition;
  const runs = JSON.parse(row.runs) as Record<string, number | undefined>;
  const [entered = 0, ...ended] = ["entered", ...runStatuses.slice(1)].map((name) => runs[name] ?? 0);
  const [completed = 0, exited = 0, removed = 0] = ended;
  const steps = Object.entries(JSON.parse(row.steps) as Record<string, number>).filter(([path]) => /^\d/.test(path));
  return serialize(AutomationOut, {
    ...row,
    ...(definition as unknown as Pick<AutomationOut, "trigger" | "entry" | "steps">),
    version: row.versionNumber,
    counters: { entered, active: entered - completed - exited - removed, completed, exited, removed },
    stepCounters: Object.fromEntries(steps),
  });
}
