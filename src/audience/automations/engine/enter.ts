import { utf8 } from "../../../lib/bytes.ts";
import { idOfTime, uuidFromHash } from "../../../lib/ids.ts";
import { DAY_MS } from "../../../lib/time.ts";
import type { MailCtx, MailStatement } from "../../../platform/context.ts";
import { guardedBatch } from "../../../platform/db/batch.ts";
import { withinBytes } from "../../../platform/db/byte-pages.ts";
import { hasWorkLeft } from "../../../platform/db/count-statements.ts";
import { jsonChunks } from "../../../platform/db/json-chunks.ts";
import type { events } from "../../../platform/db/schema/mail/index.ts";
import type { StoredColumns } from "../../../platform/db/stored-row.ts";
import { rowsInTurns, someTurns } from "../../../platform/db/workspace-turns.ts";
import { wakeForResults } from "../../../platform/webhook-events/wake.ts";
import { evaluate, newComparisonBudget, personBytesSql } from "../../conditions/index.ts";
import type { Definition } from "../definition.ts";
import { toHistory } from "../history.ts";
import { limits } from "../rules.ts";
import { runStartedStatements } from "../webhook-events.ts";
import { type EngineLease, renewStatements } from "./lease.ts";
import { readPeople } from "./people.ts";
import { PAGE_BYTES, type PlaceOfPage } from "./read-due.ts";

/** Events of a page: at most 16 KiB each. */
export const EVENTS_PER_PAGE = 200;
/** Runs that a page may begin. Further automations of its last event are looked at by the next. */
const RUNS_BEGUN_PER_PAGE = 1_000;
/** Workspaces whose events a page reads. */
const WORKSPACES_PER_PAGE = 32;
/** Unread events of a workspace that a page looks at, to find those that are not to wait. */
const LOOKED_AT = 1_000;
/** How long an event waits that fails alone, in milliseconds. */
const FAILED_EVENT_MS = 3_600_000;

type EventColumns = "n" | "workspace" | "id" | "email_key" | "name" | "data" | "created_at";

interface EventRow extends StoredColumns<typeof events, EventColumns> {
  /** automations.n up to which it was read. */
  automation: number;
  /** Events that are unread, up to more than a page. */
  unread: number;
}

// Those of each workspace in turn. ?1: now; ?2: events; ?3: where the turns begin.
const FIRST_UNREAD = `RECURSIVE ${someTurns("unread_events WHERE true", "?3", WORKSPACES_PER_PAGE)}, ${rowsInTurns({
  exists: "SELECT 1 FROM unread_events WHERE workspace = t.workspace AND not_before <= ?1",
  rows: `SELECT n AS id FROM (SELECT * FROM unread_events WHERE workspace = t.workspace ORDER BY n LIMIT ${LOOKED_AT}) WHERE not_before <= ?1`,
  limit: "?2",
})}, first AS (
    SELECT d.turn, e.* FROM due d CROSS JOIN events e ON e.n = d.id ORDER BY d.turn, e.n LIMIT CAST(?2 AS INTEGER))`;

const FIND_EVENTS = `
  WITH ${FIRST_UNREAD}
  SELECT f.n, f.workspace, f.id, f.email_key, f.name, f.data, f.created_at, u.automation,
         (SELECT count(*) FROM (SELECT 1 FROM unread_events WHERE not_before <= ?1 LIMIT ${EVENTS_PER_PAGE + 1})) AS unread
    FROM first f CROSS JOIN unread_events u ON u.workspace = f.workspace AND u.n = f.n ORDER BY f.turn, f.n`;

const POSTPONE = `
  WITH ${FIRST_UNREAD}
  UPDATE unread_events SET not_before = ?1 + ${FAILED_EVENT_MS} WHERE (workspace, n) IN (SELECT workspace, n FROM first)`;

/** Returns the statement that makes the first event of a page wait. */
export const postponeEvent = (ctx: MailCtx, { start }: PlaceOfPage): MailStatement =>
  ctx.mail.prepare(POSTPONE).bind(ctx.now(), 1, start);

// A definition is read once for all events of its version, and a person once for all of theirs.
const FIND_STARTED = `
  WITH started AS MATERIALIZED (
    SELECT j.key AS position, j.value AS event, a.n, a.id, a.version, a.workspace FROM json_each(?1) j CROSS JOIN automations a
        ON a.workspace = j.value->>'workspace' AND a.trigger_event = j.value->>'name' AND a.status = 'active' AND a.n > j.value->>'automation'
     ORDER BY j.key, a.n LIMIT ${RUNS_BEGUN_PER_PAGE})
  ${withinBytes(
    `SELECT s.position, s.n, s.id, s.version, s.event->>'size'
             + iif(row_number() OVER (PARTITION BY s.version ORDER BY s.position) = 1, octet_length(v.definition), 0)
             + iif(row_number() OVER (PARTITION BY s.workspace, s.event->>'key' ORDER BY s.position, s.n) = 1,
                 ${personBytesSql("s.workspace", "s.event->>'key'")}, 0) AS bytes
       FROM started s CROSS JOIN automation_versions v ON v.n = s.version ORDER BY s.position, s.n`,
    PAGE_BYTES,
  )} ORDER BY position, n`;

const FIND_RULES = `
  SELECT v.n, v.definition->'$.trigger.filter' AS filter, v.definition->'$.entry' AS entry,
         json_array_length(v.definition, '$.steps') > 0 AS hasSteps
    FROM json_each(?1) j CROSS JOIN automation_versions v ON v.n = j.value`;

// A wait that ends by an event is looked at now. Its move reads the events itself.
const WAKE = `
  UPDATE automation_runs SET due_at = ?2 WHERE n IN (
    SELECT r.n FROM json_each(?1) j CROSS JOIN automation_runs r
        ON r.workspace = j.value->>'workspace' AND r.email_key = j.value->>'key'
     WHERE r.wait_event = j.value->>'name' AND r.mark < j.value->>'n') AND due_at > ?2`;

// A version without runs may be deleted after it was read; then the page is read again.
const REQUIRE_VERSIONS = `
  SELECT CASE WHEN EXISTS (SELECT 1 FROM json_each(?1) j WHERE NOT EXISTS (
    SELECT 1 FROM automation_versions v WHERE v.n = j.value)) THEN json('lost race') END`;

// An erasure deletes contacts before runs, so no run is added for an erased person.
const ENTER = `
  INSERT INTO automation_runs (workspace, id, automation, version, email_key, entry_key, node, due_at, entered_event, mark, data, history, started_at)
  SELECT j.value->>'workspace', j.value->>'id', j.value->>'automation', j.value->>'version', j.value->>'key', j.value->>'entry',
         j.value->>'node', ?2, j.value->>'event', j.value->>'event', j.value->>'data', j.value->>'history', ?2
    FROM json_each(?1) j
   WHERE EXISTS (SELECT 1 FROM contacts c WHERE c.workspace = j.value->>'workspace' AND c.email_key = j.value->>'key')
     AND (j.value->>'since' IS NULL OR NOT EXISTS (
       SELECT 1 FROM automation_runs r WHERE r.automation = j.value->>'automation' AND r.email_key = j.value->>'key'
          AND r.started_at >= j.value->>'since'))
  ON CONFLICT DO NOTHING`;

const COUNT = `
  INSERT INTO automation_counts (version, step, workspace, runs)
  SELECT r.version, 'entered', r.workspace, count(*) FROM json_each(?1) j CROSS JOIN automation_runs r
      ON r.automation = j.value->>'automation' AND r.id = j.value->>'id' WHERE true GROUP BY r.version
  ON CONFLICT DO UPDATE SET runs = runs + excluded.runs`;

const PASS =
  "DELETE FROM unread_events WHERE (workspace, n) IN (SELECT value->>'workspace', value->>'n' FROM json_each(?1))";
const PASS_PART = "UPDATE unread_events SET automation = ?3 WHERE workspace = ?1 AND n = ?2";

/**
 * Reads the next events of the mail database, those of each workspace in turn: begins runs, wakes runs that wait for them, and passes them,
 * in one transaction. Returns whether others may follow. Throws ConcurrencyError when the lease was lost.
 */
export async function enterRuns(ctx: MailCtx, lease: EngineLease, { size, start }: PlaceOfPage): Promise<boolean> {
  const db = ctx.mail;
  const found = await db.listRows<EventRow>(FIND_EVENTS, ctx.now(), size, start);
  if (found.length === 0) return false;
  const keys = found.map(({ n, workspace, email_key: key, name, automation, data }) =>
    JSON.stringify({ n, workspace, key, name, automation, size: data.length }),
  );
  const started = await db.listRows<StartedRow>(FIND_STARTED, `[${keys.join()}]`);
  const { entries, looked } = await newEntries(ctx, found, started);
  // The last event may begin more runs than fit into the page.
  const all = started[0]?.found ?? 0;
  const last = looked < all || all === RUNS_BEGUN_PER_PAGE ? started[looked - 1] : undefined;
  const passed = keys.slice(0, last?.position);
  const enter = db.prepare(ENTER);
  const ids = entries.map(({ automation, id }) => ({ automation, id }));
  const versions = [...new Set(entries.map(({ version }) => version))];
  const told = runStartedStatements(ctx, ids);
  const part = last && found[last.position];
  const results = await guardedBatch(db, [
    ...renewStatements(ctx, lease),
    db.prepare(WAKE).bind(`[${passed.join()}]`, ctx.now()),
    ...(entries.length > 0 ? [db.prepare(REQUIRE_VERSIONS).bind(JSON.stringify(versions))] : []),
    ...jsonChunks(entries.map((entry) => JSON.stringify(entry))).map((chunk) => enter.bind(chunk, ctx.now())),
    ...(entries.length > 0 ? [db.prepare(COUNT).bind(JSON.stringify(ids))] : []),
    db.prepare(PASS).bind(`[${passed.join()}]`),
    ...(part ? [db.prepare(PASS_PART).bind(part.workspace, part.n, last.n)] : []),
    ...told,
  ]);
  if (told.length > 0) await wakeForResults(ctx, results.slice(-told.length));
  return passed.length < (found[0]?.unread ?? 0);
}

/** An automation of which an event of the page, by its position, begins a run. */
interface StartedRow {
  position: number;
  n: number;
  id: string;
  version: number;
  /** Runs that the events of the page begin, up to the limit. */
  found: number;
}

/** The rules by which a person enters a version. */
interface EntryRules {
  filter: NonNullable<Definition["trigger"]["filter"]> | null;
  entry: Definition["entry"];
  hasSteps: boolean;
}

async function findEntryRules(ctx: MailCtx, started: readonly StartedRow[]): Promise<Map<number, EntryRules>> {
  const numbers = JSON.stringify([...new Set(started.map(({ version }) => version))]);
  const results = await ctx.mail.listRows<{ n: number; filter: string | null; entry: string; hasSteps: 0 | 1 }>(
    FIND_RULES,
    numbers,
  );
  const rules = results.map(({ n, filter, entry, hasSteps }): [number, EntryRules] => [
    n,
    { filter: JSON.parse(filter ?? "null"), entry: JSON.parse(entry), hasSteps: hasSteps === 1 },
  ]);
  return new Map(rules);
}

/** A run to be added, as the statement reads it. */
type NewRun = Awaited<ReturnType<typeof toRun>>;

/** Returns the runs to be added, and how many of `started` it has looked at until the work of the invocation was used up. */
async function newEntries(
  ctx: MailCtx,
  events: readonly EventRow[],
  started: readonly StartedRow[],
): Promise<{ entries: NewRun[]; looked: number }> {
  if (started.length === 0) return { entries: [], looked: 0 };
  const rulesOf = await findEntryRules(ctx, started);
  const pairs = started.flatMap(({ position, ...automation }) => {
    const [event, rules] = [events[position], rulesOf.get(automation.version)];
    return event && rules ? [{ event, automation, rules, data: parseData(event) }] : [];
  });
  const readOf = new Map<number, Awaited<ReturnType<typeof readPeople>>>();
  for (const [workspace, own] of Map.groupBy(pairs, ({ event }) => event.workspace)) {
    const conditions = [...new Set(own.flatMap(({ rules }) => rules.filter ?? []))];
    const keys = own.map(({ event }) => event.email_key);
    readOf.set(workspace, await readPeople(ctx, workspace, keys, conditions));
  }
  const entries: NewRun[] = [];
  let looked = 0;
  for (const pair of pairs) {
    if (looked > 0 && !hasWorkLeft(ctx)) break;
    looked++;
    const { event, rules, data, automation } = pair;
    const read = readOf.get(event.workspace);
    const person = read?.people.get(event.email_key);
    if (!read || !person || isLoop(event, data, automation.id)) continue;
    const circumstances = { now: ctx.now(), segments: read.segments, event: data };
    const enters =
      rules.filter === null || evaluate(rules.filter, person, circumstances, newComparisonBudget(ctx.limits));
    if (enters) entries.push(await toRun(pair));
  }
  return { entries: withoutRepeats(entries), looked };
}

const parseData = ({ data }: EventRow) => JSON.parse(data) as Record<string, unknown>;

/** Returns whether an automation caused the event itself, or too many did in a row (docs/contract/automations.md#loops). */
function isLoop({ name }: EventRow, data: Record<string, unknown>, automationId: string): boolean {
  // An email of an automation is opened by a person, and an event of its own is sent by a program.
  if (!/^(contact|topic)\./.test(name)) return false;
  return data.automation_id === automationId || Number(data.automations ?? 0) >= limits.hops;
}

type Entering = { event: EventRow; automation: Omit<StartedRow, "position">; rules: EntryRules };

async function toRun({ event, automation, rules }: Entering) {
  const { mode, period_days: days = 1 } = rules.entry;
  const hash = await uuidFromHash(utf8(`automation run ${automation.id} ${event.id}`));
  const line = { at: event.created_at, step: null, text: `Entered by ${event.name}.` };
  return {
    workspace: event.workspace,
    automation: automation.n,
    version: automation.version,
    key: event.email_key,
    id: idOfTime(event.created_at, hash),
    entry: mode === "once" ? "" : event.id,
    node: rules.hasSteps ? 0 : null,
    event: event.n,
    data: event.data,
    history: toHistory([line]),
    // A person who has entered since this time does not enter; null: each event begins a run.
    since: mode === "every" ? null : mode === "once" ? 0 : event.created_at - days * DAY_MS + 1,
  };
}

/** Keeps the first of several runs of a person who may enter once: the statement sees none of the others. */
function withoutRepeats(entries: readonly NewRun[]): NewRun[] {
  const seen = new Set<string>();
  return entries.filter(({ automation, key, since }) => {
    if (since === null) return true;
    const name = `${automation} ${key}`;
    return !seen.has(name) && seen.add(name);
  });
}
