import type { MailCtx } from "../../../platform/context.ts";
import { hasWorkLeft } from "../../../platform/db/count-statements.ts";
import {
  type Circumstances,
  type ComparisonBudget,
  evaluate,
  newComparisonBudget,
  type Person,
} from "../../conditions/index.ts";
import type { Facts, Found } from "../advance.ts";
import { conditionsOf } from "../definition.ts";
import type { Version } from "../versions.ts";
import { DailyEmails, type DailyRow } from "./daily-emails.ts";
import { readPeople } from "./people.ts";
import type { DueRun } from "./read-due.ts";
import type { WorkspaceState } from "./workspaces.ts";

/** Events that one look at a waiting run reads: each may have 16 KiB. Further ones are read at the next. */
const EVENTS_PER_LOOK = 3;

const FIND_WAITED = `
  SELECT j.value->>'n' AS run, (
    SELECT json_group_array(json_object('n', n, 'data', json(data))) FROM (
      SELECT e.n, e.data FROM events e
       WHERE e.workspace = j.value->>'workspace' AND e.email_key = j.value->>'key' AND e.name = j.value->>'event'
         AND e.n > j.value->>'mark' AND e.created_at <= j.value->>'until' ORDER BY e.n LIMIT ?2)) AS events
    FROM json_each(?1) j`;

const FIND_EXITS = `
  SELECT j.value->>'n' AS run, (
    SELECT e.name FROM json_each(j.value->'names') x CROSS JOIN events e
        ON e.workspace = j.value->>'workspace' AND e.email_key = j.value->>'key' AND e.name = x.value AND e.n > j.value->>'after'
     LIMIT 1) AS name
    FROM json_each(?1) j`;

/** The facts with which a run that is due moves on, and up to which event it has been looked at by then. */
export interface RunFacts {
  facts: Omit<Facts, "now">;
  /** Events after the page's mark were not read for it: it is to be looked at again from here. */
  readUpTo: number | null;
}

/** The facts of a page of runs. The number of D1 calls depends on the workspaces of the page, not on the runs. */
export async function readFacts(
  ctx: MailCtx,
  runs: readonly DueRun[],
  versions: ReadonlyMap<number, Version>,
  workspaces: ReadonlyMap<number, WorkspaceState>,
): Promise<ReadonlyMap<number, RunFacts>> {
  const [waited, exits, daily] = await readEvents(ctx, runs, versions);
  const facts = new Map<number, RunFacts>();
  for (const [number, own] of Map.groupBy(runs, (run) => run.workspace)) {
    const workspace = workspaces.get(number);
    if (!workspace) continue;
    const ofPage = [...new Set(own.flatMap(({ version }) => versions.get(version) ?? []))];
    const conditions = ofPage.flatMap(({ definition }) => conditionsOf(definition));
    const keys = own.map(({ key }) => key);
    const { people, segments } = await readPeople(ctx, number, keys, conditions);
    for (const run of own) {
      if (facts.size > 0 && !hasWorkLeft(ctx)) break;
      const version = versions.get(run.version);
      if (!version) continue;
      const person = people.get(run.key) ?? null;
      const events = waited.get(run.n) ?? [];
      const budget = newComparisonBudget(ctx.limits);
      const found = findEvent(run, events, version, person, { segments, now: ctx.now() }, budget);
      facts.set(run.n, {
        readUpTo: found === null && events.length === EVENTS_PER_LOOK ? (events.at(-1)?.n ?? null) : null,
        facts: {
          person,
          segments,
          budget,
          found,
          zone: workspace.timeZone,
          entry: version.definition.entry,
          exitEvent: exits.get(run.n) ?? null,
          emailsOn: (day) => daily.of(number, run.key, day),
        },
      });
    }
  }
  return facts;
}

interface WaitedEvent extends Found {
  n: number;
}

async function readEvents(ctx: MailCtx, runs: readonly DueRun[], versions: ReadonlyMap<number, Version>) {
  const db = ctx.mail;
  const waiting = runs.flatMap(({ n, workspace, key, mark, run: { wait } }) =>
    wait?.event ? [{ n, workspace, key, mark, event: wait.event, until: wait.until }] : [],
  );
  const leaving = runs.flatMap(({ n, workspace, key, enteredEvent: after, version }) => {
    const names = versions.get(version)?.definition.entry.exit_events ?? [];
    return names.length > 0 ? [{ n, workspace, key, after, names }] : [];
  });
  const [waited, exits, daily] = await db.listEach<
    [{ run: number; events: string }, { run: number; name: string | null }, DailyRow]
  >([
    db.prepare(FIND_WAITED).bind(JSON.stringify(waiting), EVENTS_PER_LOOK),
    db.prepare(FIND_EXITS).bind(JSON.stringify(leaving)),
    DailyEmails.readStatement(ctx, runs),
  ]);
  return [
    new Map(waited.map(({ run, events }) => [run, JSON.parse(events) as WaitedEvent[]])),
    new Map(exits.flatMap(({ run, name }) => (name === null ? [] : [[run, name] as const]))),
    new DailyEmails(daily),
  ] as const;
}

/** Returns the first event that ends the wait of a run. */
function findEvent(
  { run }: DueRun,
  events: readonly WaitedEvent[],
  { nodes }: Version,
  person: Person | null,
  circumstances: Circumstances,
  budget: ComparisonBudget,
): Found | null {
  const node = run.node === null ? undefined : nodes[run.node];
  if (node?.kind !== "wait_for_event" || person === null) return null;
  const { filter } = node;
  return (
    events.find(
      ({ data }) =>
        filter === null || evaluate(filter, person, { ...circumstances, event: data, eventBefore: run.data }, budget),
    ) ?? null
  );
}
