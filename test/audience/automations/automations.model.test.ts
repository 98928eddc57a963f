import { env } from "cloudflare:workers";
import fc from "fast-check";
import { expect, it } from "vitest";
import { shareOf } from "../../../src/audience/automations/advance.ts";
import type { Step } from "../../../src/audience/automations/definition.ts";
import { database, withFailingCall } from "../../support/databases.ts";
import { byExtent } from "../../support/extent.ts";
import { seeded } from "../../support/failures.ts";
import { aTopic } from "../../support/topics.ts";
import { aWorkspace, type TestWorkspace } from "../../support/workspace.ts";
import { type ModelEvent, type ModelPerson, ModelRun } from "./interpreter.ts";
import { type Automations, aList, anEvent, automationsOf, runEngine, runFailingEngine } from "./support.ts";

/**
 * Random automations, events, clock jumps, edits, deletions, pauses and failures at each D1 call. A plain interpreter says what each run
 * does; the service must have done exactly that, once.
 */

const PEOPLE = [0, 1, 2];
const EVENTS = ["bought", "opened", "called"];
const MINUTE = 60_000;

const minutes = fc.integer({ min: 1, max: 90 }).map((count) => ({ minutes: count }));
const flat: fc.Arbitrary<Step> = fc.oneof(
  minutes.map((span): Step => ({ kind: "wait", for: span })),
  fc
    .integer({ min: 0, max: 99 })
    .map((n): Step => ({ kind: "send_email", mailbox_id: "", subject: `Email ${n}`, text: "x" })),
  fc.constantFrom("gold", "silver", null).map((value): Step => ({ kind: "set_field", field: "plan", value })),
  fc.constant<Step>({ kind: "add_to_list", list_id: "second" }),
  fc.constantFrom("first", "second").map((list): Step => ({ kind: "remove_from_list", list_id: list })),
  fc.boolean().map((subscribed): Step => ({ kind: "change_topic", topic_id: "", subscribed })),
  fc.constant<Step>({ kind: "notify", message: "Here" }),
  fc.constant<Step>({ kind: "notify", message: "There" }),
);
const rare = fc.constant<Step>({ kind: "end" });

function steps(depth: number, minLength = 0): fc.Arbitrary<Step[]> {
  if (depth === 0) return fc.array(flat, { minLength, maxLength: 3, size: "max" });
  const inner = steps(depth - 1);
  const branching = fc.oneof(
    fc
      .tuple(fc.constantFrom(...EVENTS), fc.option(fc.integer({ min: 0, max: 9 })), minutes, inner, inner)
      .map(([event, over, limit, then_steps, else_steps]): Step => {
        const filter = over === null ? undefined : { event: "total", is: "greater" as const, value: over };
        return { kind: "wait_for_event", event, filter, limit, then_steps, else_steps };
      }),
    fc
      .tuple(fc.constantFrom("gold", "silver"), fc.boolean(), inner, inner)
      .map(([value, byField, then_steps, else_steps]): Step => {
        const when = byField
          ? { field: "plan", is: "equals" as const, value }
          : { event: "plan", is: "equals" as const, value };
        return { kind: "branch", when, then_steps, else_steps };
      }),
    fc
      .tuple(fc.integer({ min: 1, max: 99 }), inner, inner)
      .map(([percent, then_steps, else_steps]): Step => ({ kind: "split", percent, then_steps, else_steps })),
  );
  return fc.array(
    fc.oneof({ arbitrary: flat, weight: 12 }, { arbitrary: branching, weight: 6 }, { arbitrary: rare, weight: 1 }),
    {
      ...{ minLength, maxLength: 5, size: "max" },
    },
  );
}

const person = fc.constantFrom(...PEOPLE);
const data = fc.record({ total: fc.integer({ min: 0, max: 12 }), plan: fc.constantFrom("gold", "silver") });
const operation = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant("enter" as const), person, data }) },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant("event" as const), person, name: fc.constantFrom(...EVENTS), data }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("later" as const),
      minutes: fc.integer({ min: 0, max: 60 }),
      fails: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("jump" as const), days: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("delete" as const), person }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("mark" as const), person }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("take out" as const), person }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("edit" as const), steps: steps(2) }) },
  { weight: 1, arbitrary: fc.constant({ do: "pause" as const }) },
  { weight: 2, arbitrary: fc.constant({ do: "resume" as const }) },
);

const sequence = fc.record({
  mode: fc.constantFrom("once" as const, "every" as const, "once_per_period" as const),
  steps: steps(2, 3),
  operations: fc.array(operation, { minLength: 12, maxLength: 25, size: "max" }),
  seed: fc.integer(),
});
type Sequence = typeof sequence extends fc.Arbitrary<infer Value> ? Value : never;

let now = Date.now();
let workspace: TestWorkspace;
let automations: Automations;
let topic = "";
let used = 0;

/** A workspace has a limited number of automations. */
async function useWorkspace(): Promise<void> {
  if (used++ % 150 > 0) return;
  workspace = await aWorkspace();
  automations = automationsOf(workspace);
  topic = (await aTopic(workspace)).id;
}

/** The service and the model of one sequence. */
class Pair {
  readonly people = new Map<string, ModelPerson>();
  readonly events = new Map<string, ModelEvent[]>();
  readonly marked = new Set<string>();
  readonly runs: (ModelRun & { startedAt: number; person: string })[] = [];
  readonly entries: { person: string; at: number; id: string; data: Record<string, unknown> }[] = [];
  readonly lists = new Map<string, string>();
  readonly name = `enter-${crypto.randomUUID().slice(0, 8)}`;
  isPaused = false;
  id = "";
  steps: Step[] = [];

  readonly options: Sequence;

  constructor(options: Sequence) {
    this.options = options;
  }

  address = (n: number) => `delivered+${this.name}-${n}@simulator.test`;

  async start(): Promise<void> {
    const contacts = PEOPLE.map((n) => ({ email: this.address(n), metadata: { plan: "silver" } }));
    this.lists.set("first", await aList(workspace, contacts, "first"));
    this.lists.set("second", await aList(workspace, [], "second"));
    for (const { email } of contacts) {
      const lists = new Set([this.lists.get("first") ?? ""]);
      const fields = new Map<string, unknown>([["plan", "silver"]]);
      this.people.set(email, { lists, fields, topics: new Map(), sent: [], notices: 0 });
      this.events.set(email, []);
    }
    this.steps = this.toSteps(this.options.steps);
    const { mode } = this.options;
    const entry = {
      ...{ mode, exit_when: { field: "left", is: "exists" } },
      ...(mode === "once_per_period" ? { period_days: 1 } : {}),
    };
    this.id = (await automations.start({ trigger: { event: this.name }, entry, steps: this.steps })).id;
  }

  /** Returns steps with the ids of this workspace in place of names. */
  toSteps(steps: readonly Step[]): Step[] {
    return steps.map((step): Step => {
      if (step.kind === "send_email") return { ...step, mailbox_id: workspace.mailboxId };
      if (step.kind === "change_topic") return { ...step, topic_id: topic };
      if ("list_id" in step) return { ...step, list_id: this.lists.get(step.list_id) ?? "" };
      if (!("then_steps" in step)) return step;
      return { ...step, then_steps: this.toSteps(step.then_steps), else_steps: this.toSteps(step.else_steps) };
    });
  }

  async do(operation: Sequence["operations"][number]): Promise<void> {
    const key = "person" in operation ? this.address(operation.person) : "";
    const known = this.people.get(key);
    switch (operation.do) {
      case "enter": {
        // Several runs of a person may see each other's changes sooner or later.
        const isInside = this.runs.some((run) => run.person === key && run.status === "active");
        if (this.options.mode !== "once" && (isInside || this.entries.some((entry) => entry.person === key))) return;
        const id = await anEvent(workspace, key, { name: this.name, data: operation.data, at: now });
        this.entries.push({ person: key, at: now, id, data: operation.data });
        return;
      }
      case "event": {
        const { name, data: own } = operation;
        await anEvent(workspace, key, { name, data: own, at: now });
        this.events.get(key)?.push({ person: key, name, data: own, at: now });
        return;
      }
      case "later":
        now += operation.minutes * MINUTE;
        return this.look(operation.fails);
      case "jump":
        now += operation.days * 1_440 * MINUTE;
        return this.look(false);
      case "delete":
        await database.run("DELETE FROM contacts WHERE workspace = ?1 AND email_key = ?2", [
          workspace.workspaceNumber,
          key,
        ]);
        known?.lists.clear();
        return;
      case "mark":
        await database.run(
          "UPDATE contacts SET metadata = json_set(metadata, '$.left', 1) WHERE workspace = ?1 AND email_key = ?2",
          [workspace.workspaceNumber, key],
        );
        if (known && known.lists.size > 0) this.marked.add(key);
        return;
      case "take out":
        return this.takeOut(key);
      case "edit":
        this.steps = this.toSteps(operation.steps);
        await automations.expectJson(
          await automations.api.call("PATCH", automations.path(this.id), { steps: this.steps }),
        );
        return;
      case "pause":
        if (!this.isPaused) await automations.act(this.id, "pause");
        this.isPaused = true;
        return;
      case "resume":
        if (this.isPaused) await automations.act(this.id, "activate");
        this.isPaused = false;
    }
  }

  async takeOut(key: string): Promise<void> {
    for (const run of await automations.runs(this.id, `?status=active&email=${encodeURIComponent(key)}`))
      await automations.api.call("DELETE", automations.path(this.id, `/runs/${run.id}`));
    for (const run of this.runs) if (run.person === key && run.status === "active") run.status = "removed";
  }

  /** Lets both look at what is due. */
  async look(fails: boolean): Promise<void> {
    if (fails) await failingEngine(this.options.seed + now);
    await runEngine(now);
    for (const entry of this.entries.splice(0)) await this.enter(entry);
    for (const run of this.runs) {
      const exits = this.marked.has(run.person) && (this.people.get(run.person)?.lists.size ?? 0) > 0;
      run.look(now, this.events.get(run.person) ?? [], { isPaused: this.isPaused, exits });
    }
  }

  async enter({
    person: key,
    at,
    id,
    data: own,
  }: {
    person: string;
    at: number;
    id: string;
    data: Record<string, unknown>;
  }) {
    const known = this.people.get(key);
    if (!known || known.lists.size === 0 || this.isPaused) return;
    const before = this.runs.filter((run) => run.person === key);
    const { mode } = this.options;
    if (mode === "once" && before.length > 0) return;
    if (mode === "once_per_period" && before.some(({ startedAt }) => startedAt > at - 1_440 * MINUTE)) return;
    const stored = await database.value<string>(
      "SELECT r.id FROM automation_runs r JOIN automations a ON a.n = r.automation WHERE a.id = ?1 AND r.data IS NOT NULL AND r.entered_event = (SELECT n FROM events WHERE workspace = ?2 AND id = ?3)",
      [this.id, workspace.workspaceNumber, id],
    );
    const run = new ModelRun(known, this.steps, own, (path) => shareOf(stored ?? "", path));
    this.runs.push(Object.assign(run, { startedAt: now, person: key }));
  }

  async compare(): Promise<void> {
    for (const [key, known] of this.people) {
      const statuses = (await automations.runs(this.id, `?email=${encodeURIComponent(key)}`)).map(
        ({ status }) => status,
      );
      const expected = this.runs.filter((run) => run.person === key).map(({ status }) => status);
      expect(statuses.toSorted()).toEqual(expected.toSorted());
      expect(await stateOf(key)).toEqual({
        sent: known.sent.toSorted(),
        lists: [...known.lists].sort(),
        plans: known.lists.size === 0 ? [] : [known.fields.get("plan") ?? null],
        topics: [...known.topics].map(([, subscribed]) => (subscribed ? "subscribed" : "unsubscribed")),
        notices: known.notices,
      });
    }
  }
}

/** Calls of an engine run that may fail: most runs have fewer. */
const CALLS = 30;

/** Runs the engine on databases of which one call fails, before or after it is done, then ends its lease as time would. */
async function failingEngine(seed: number): Promise<void> {
  const random = seeded(seed);
  const failing = Math.floor(random() * CALLS);
  const { bindings } = withFailingCall({ failing, moment: random() < 0.3 ? "before" : "after" });
  await runFailingEngine(now, bindings);
}

async function stateOf(key: string) {
  const { workspaceNumber: number } = workspace;
  const read = async <Row>(sql: string) => (await database.prepare(sql).bind(number, key).all<Row>()).results;
  const sent = await read<{ subject: string }>(
    "SELECT subject FROM emails WHERE workspace = ?1 AND recipients->>'$[0].email' = ?2 ORDER BY subject",
  );
  const contacts = await read<{ list: string; plan: string | null }>(
    "SELECT l.id AS list, c.metadata->>'$.plan' AS plan FROM contacts c JOIN contact_lists l ON l.n = c.list WHERE c.workspace = ?1 AND c.email_key = ?2",
  );
  const topics = await read<{ choice: string }>("SELECT choice FROM topic_choices WHERE workspace = ?1 AND email = ?2");
  // A notification names its run, and no person.
  const runs = await read<{ id: string }>("SELECT id FROM automation_runs WHERE workspace = ?1 AND email_key = ?2");
  const notices = await database.value<number>(
    "SELECT count(*) AS notices FROM notifications n JOIN json_each(?2) j ON n.href LIKE '%/runs/' || j.value WHERE n.workspace = ?1",
    [number, JSON.stringify(runs.map(({ id }) => id))],
  );
  return {
    sent: sent.map(({ subject }) => subject).sort(),
    lists: contacts.map(({ list }) => list).sort(),
    plans: [...new Set(contacts.map(({ plan }) => plan))],
    topics: topics.map(({ choice }) => choice),
    notices,
  };
}

const COUNTS = byExtent({ quick: 12, full: 120, long: 10_000 });

it(`runs of ${COUNTS} random automations do what a plain interpreter says, whatever fails`, {
  timeout: byExtent({ quick: 600_000, full: 3_600_000, long: 4 * 3_600_000 }),
}, async () => {
  await fc.assert(
    fc.asyncProperty(sequence, async (options) => {
      await useWorkspace();
      const pair = new Pair(options);
      await pair.start();
      for (const each of PEOPLE) await pair.do({ do: "enter", person: each, data: { total: each, plan: "gold" } });
      for (const each of options.operations) await pair.do(each);
      await pair.look(false);
      await pair.compare();
      await automations.act(pair.id, "archive");
      await runEngine(now);
      expect(await automations.runs(pair.id, "?status=active")).toEqual([]);
    }),
    { numRuns: COUNTS, endOnFailure: env.TEST_FULL || env.TEST_LONG },
  );
});
