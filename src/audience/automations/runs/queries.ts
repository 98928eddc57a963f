import type { CallerCtx } from "../../../access/caller.ts";
import { requireFound } from "../../../lib/errors.ts";
import { parseUuid } from "../../../lib/ids.ts";
import { serialize } from "../../../lib/serialize.ts";
import { isoOrNull } from "../../../lib/time.ts";
import type { automationRuns } from "../../../platform/db/schema/mail/index.ts";
import type { Definition } from "../definition.ts";
import { parseHistory, toLines } from "../history.ts";
import { type AutomationRow, getAutomation } from "../queries.ts";
import type { RunStatus } from "../rules.ts";
import { findVersions, type Version } from "../versions.ts";
import { RunItemOut, type RunOut } from "./schema.ts";

type Columns = typeof automationRuns.$inferSelect;

/** A row of `automation_runs` as lists show it. Times in milliseconds since 1970. */
interface ItemRow
  extends Pick<Columns, "n" | "id" | "version" | "emailKey" | "status" | "node" | "startedAt" | "endedAt">,
    Pick<Columns, "waitUntil" | "waitEvent" | "isHeld"> {
  versionNumber: number;
}

/** The same with what the run knows and did. */
export type RunRow = ItemRow & Pick<Columns, "data" | "history">;

const ITEM = `r.n, r.id, r.version, v.number AS versionNumber, r.email_key AS emailKey, r.status, r.node,
  r.wait_until AS waitUntil, r.wait_event AS waitEvent, r.is_held AS isHeld, r.started_at AS startedAt, r.ended_at AS endedAt`;

/** Greater than every UUID. */
const LAST_ID = "g";

/** Runs that a page looks at when it asks for a status that few have. */
const MAX_LOOKED_AT = 5_000;

// The inner query bounds what is read, whatever the status asked for.
const LIST = `
  WITH page AS MATERIALIZED (
    SELECT n, id, status FROM automation_runs WHERE automation = ?1 AND id < ?3 ORDER BY id DESC LIMIT ${MAX_LOOKED_AT})
  SELECT ${ITEM}, (SELECT min(id) FROM page) AS lastId, (SELECT count(*) FROM page) AS looked
    FROM page p CROSS JOIN automation_runs r ON r.n = p.n CROSS JOIN automation_versions v ON v.n = r.version
   WHERE (?2 IS NULL OR p.status = ?2) ORDER BY p.id DESC LIMIT ?4`;

const OF_PERSON = `
  SELECT ${ITEM}, NULL AS lastId, 0 AS looked FROM automation_runs r CROSS JOIN automation_versions v ON v.n = r.version
   WHERE r.automation = ?1 AND r.email_key = ?5 AND (?2 IS NULL OR r.status = ?2) AND r.id < ?3 ORDER BY r.id DESC LIMIT ?4`;

/** The runs of an automation that are listed. `person`: canonical address. `before`: id of the last run of the page before. */
export interface RunFilter {
  status?: RunStatus | undefined;
  person?: string | undefined;
  before?: string | undefined;
  limit: number;
}

/** Returns runs of an automation, newest first. A page looks at 5,000 at most, so it may be short. Throws 404 for the automation. */
export async function listRuns(
  ctx: CallerCtx,
  automationId: string,
  { status, person, before, limit }: RunFilter,
): Promise<{ runs: RunItemOut[]; next: string | null }> {
  const automation = await getAutomation(ctx, automationId);
  const parameters = [automation.n, status ?? null, before ?? LAST_ID, limit + 1];
  const statement =
    person === undefined
      ? ctx.mail.prepare(LIST).bind(...parameters)
      : ctx.mail.prepare(OF_PERSON).bind(...parameters, person);
  const { results } = await statement.all<ItemRow & { lastId: string | null; looked: number }>();
  const numbers = results.map(({ version }) => version);
  const versions = await findVersions(ctx, numbers);
  const rows = results.slice(0, limit);
  const [one] = results;
  const next = results.length > limit ? rows.at(-1)?.id : one?.looked === MAX_LOOKED_AT ? one.lastId : null;
  return { runs: rows.map((row) => toItem(row, versions)), next: next ?? null };
}

/** Returns one run with its history. Throws 404 for the automation or the run. */
export const getRun = async (ctx: CallerCtx, automationId: string, id: string): Promise<RunOut> =>
  (await readRun(ctx, automationId, id)).run;

/** Returns the same with the version that the person entered. */
export async function readRun(
  ctx: CallerCtx,
  automationId: string,
  id: string,
): Promise<{ run: RunOut; definition: Definition }> {
  const row = await findRun(ctx, await getAutomation(ctx, automationId), id);
  const versions = await findVersions(ctx, [row.version]);
  const data = JSON.parse(row.data) as Record<string, unknown>;
  const run = { ...toItem(row, versions), data, history: toLines(parseHistory(row.history)) };
  return { run, definition: requireFound(versions.get(row.version)?.definition, "Version") };
}

const FIND = `
  SELECT ${ITEM}, r.data, r.history FROM automation_runs r CROSS JOIN automation_versions v ON v.n = r.version
   WHERE r.automation = ?1 AND r.id = ?2`;

/** Returns the row of a run. Throws 404. */
export async function findRun(ctx: CallerCtx, { n }: AutomationRow, id: string): Promise<RunRow> {
  return requireFound(await ctx.mail.findRow<RunRow>(FIND, n, parseUuid(id) ?? ""), "Run");
}

function toItem(row: ItemRow, versions: ReadonlyMap<number, Version>): RunItemOut {
  return serialize(RunItemOut, {
    ...row,
    email: row.emailKey,
    version: row.versionNumber,
    step: row.node === null ? null : (versions.get(row.version)?.nodes[row.node]?.path ?? null),
    waitUntil: isoOrNull(row.waitUntil),
    isHeld: row.isHeld > 0,
  });
}
