import { utf8 } from "../../../lib/bytes.ts";
import { idOfTime, uuidFromHash } from "../../../lib/ids.ts";
import { DAY_MS } from "../../../lib/time.ts";
import type { MailCtx } from "../../../platform/context.ts";
import { guardedBatch } from "../../../platform/db/batch.ts";
import { jsonChunks } from "../../../platform/db/json-chunks.ts";
import { wakeForResults } from "../../../platform/webhook-events/wake.ts";
import { evaluate } from "../../conditions/index.ts";
import { toHistory } from "../history.ts";
import { limits } from "../rules.ts";
import { findVersions, type Version } from "../versions.ts";
import { runStartedStatements } from "../webhook-events.ts";
import { type EngineLease, renewStatements } from "./lease.ts";
import { readPeople } from "./people.ts";

/** Events of a page: at most 16 KiB each. */
export const EVENTS_PER_PAGE = 200;

interface EventRow {
  n: number;
  workspace: number;
  id: string;
  email_key: string;
  name: string;
  data: string;
  created_at: number;
}

const FIND_EVENTS = `
  SELECT e.n, e.workspace, e.id, e.email_key, e.name, e.data, e.created_at FROM events e
   WHERE e.n > (SELECT last_event FROM automation_engine) ORDER BY e.n LIMIT ?1`;

const FIND_STARTED = `
  SELECT j.key AS position, a.n, a.id, a.version FROM json_each(?1) j CROSS JOIN automations a
      ON a.workspace = j.value->>'workspace' AND a.trigger_event = j.value->>'name' AND a.status = 'active'`;

// A wait that ends by an event is looked at now. Its move reads the events itself.
const WAKE = `
  UPDATE automation_runs SET due_at = ?2 WHERE n IN (
    SELECT r.n FROM json_each(?1) j CROSS JOIN automation_runs r
        ON r.workspace = j.value->>'workspace' AND r.email_key = j.value->>'key'
     WHERE r.wait_event = j.value->>'name' AND r.mark < j.value->>'n') AND due_at > ?2`;

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

const PASS = "UPDATE automation_engine SET last_event = ?1 WHERE last_event < ?1";

/**
 * Reads the next events of the mail database: begins runs, wakes runs that wait for them, and passes them, in one transaction. Returns
 * how many events were read. Throws ConcurrencyError when the lease was lost.
 */
export async function enterRuns(ctx: MailCtx, lease: EngineLease): Promise<number> {
  const db = ctx.mail;
  const { results: events } = await db.prepare(FIND_EVENTS).bind(EVENTS_PER_PAGE).all<EventRow>();
  const last = events.at(-1);
  if (!last) return 0;
  const names = events.map(({ workspace, name }) => JSON.stringify({ workspace, name }));
  const { results: started } = await db.prepare(FIND_STARTED).bind(`[${names.join()}]`).all<StartedRow>();
  const entries = started.length > 0 ? await newEntries(ctx, events, started) : [];
  const waking = events.map(({ n, workspace, email_key: key, name }) => JSON.stringify({ n, workspace, key, name }));
  const enter = db.prepare(ENTER);
  const ids = entries.map(({ automation, id }) => ({ automation, id }));
  const told = runStartedStatements(ctx, ids);
  const results = await guardedBatch(db, [
    ...renewStatements(ctx, lease),
    db.prepare(WAKE).bind(`[${waking.join()}]`, ctx.now()),
    ...jsonChunks(entries.map((entry) => JSON.stringify(entry))).map((chunk) => enter.bind(chunk, ctx.now())),
    ...(entries.length > 0 ? [db.prepare(COUNT).bind(JSON.stringify(ids))] : []),
    db.prepare(PASS).bind(last.n),
    ...told,
  ]);
  if (told.length > 0) await wakeForResults(ctx, results.slice(-told.length));
  return events.length;
}

/** An automation that an event of the page, by its position, begins. */
interface StartedRow {
  position: number;
  n: number;
  id: string;
  version: number;
}

/** A run to be added, as the statement reads it. */
interface NewRun {
  workspace: number;
  id: string;
  automation: number;
  version: number;
  key: string;
  entry: string;
  node: number | null;
  event: number;
  data: string;
  history: string;
  /** A person who has entered since this time does not enter; null: each event begins a run. */
  since: number | null;
}

async function newEntries(
  ctx: MailCtx,
  events: readonly EventRow[],
  started: readonly StartedRow[],
): Promise<NewRun[]> {
  const versions = await findVersions(
    ctx,
    started.map(({ version }) => version),
  );
  const pairs = started.flatMap(({ position, ...automation }) => {
    const [event, version] = [events[position], versions.get(automation.version)];
    return event && version ? [{ event, automation, version, data: parseData(event) }] : [];
  });
  const entries: NewRun[] = [];
  for (const [workspace, own] of Map.groupBy(pairs, ({ event }) => event.workspace)) {
    const conditions = own.flatMap(({ version }) => version.definition.trigger.filter ?? []);
    const keys = own.map(({ event }) => event.email_key);
    const { people, segments } = await readPeople(ctx, workspace, keys, conditions);
    for (const pair of own) {
      const { event, version, data, automation } = pair;
      const person = people.get(event.email_key);
      if (!person || isLoop(event, data, automation.id)) continue;
      const { filter } = version.definition.trigger;
      if (filter && !evaluate(filter, person, { now: ctx.now(), segments, event: data })) continue;
      entries.push(await toRun(pair));
    }
  }
  return withoutRepeats(entries);
}

const parseData = ({ data }: EventRow) => JSON.parse(data) as Record<string, unknown>;

/** Returns whether an automation caused the event itself, or too many did in a row (docs/contract/automations.md#loops). */
function isLoop({ name }: EventRow, data: Record<string, unknown>, automationId: string): boolean {
  // An email of an automation is opened by a person, and an event of its own is sent by a program.
  if (!/^(contact|topic)\./.test(name)) return false;
  return data.automation_id === automationId || Number(data.automations ?? 0) >= limits.hops;
}

async function toRun({
  event,
  automation,
  version,
}: {
  event: EventRow;
  automation: Omit<StartedRow, "position">;
  version: Version;
}): Promise<NewRun> {
  const { mode, period_days: days = 1 } = version.definition.entry;
  const hash = await uuidFromHash(utf8(`automation run ${automation.id} ${event.id}`));
  const line = { at: event.created_at, step: null, text: `Entered by ${event.name}.` };
  return {
    workspace: event.workspace,
    automation: automation.n,
    version: version.n,
    key: event.email_key,
    id: idOfTime(event.created_at, hash),
    entry: mode === "once" ? "" : event.id,
    node: version.nodes.length > 0 ? 0 : null,
    event: event.n,
    data: event.data,
    history: toHistory([line]),
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
