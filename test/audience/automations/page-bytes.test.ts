/** Pages of the engine that one tenant makes as large as it may: no other tenant waits for them. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { runAutomations } from "../../../src/audience/automations/index.ts";
import { loadPeople, loadPeoplePage, referencesOf } from "../../../src/audience/conditions/index.ts";
import { onShard, withLimits } from "../../../src/platform/jobs/shards.ts";
import { newRunLimits } from "../../../src/sending/delivery/rules.ts";
import { FILE_SHARD, MAIL_BINDING, mail } from "../../support/databases.ts";
import { watchDatabase } from "../../support/watch-database.ts";
import { aWorkspace, perTest, type TestWorkspace, testContext } from "../../support/workspace.ts";
import { aList, anEvent, automationsOf, emailsOf, silent } from "./support.ts";

const workspace = perTest(aWorkspace);
const other = perTest(aWorkspace);
const filter = { field: "f", is: "equals", value: "x" } as const;
const waiting = { steps: [{ kind: "wait", for: { days: 1 } }] };

/** Runs the engine. Returns the characters of the largest result of one D1 call, and of the largest bound value. */
async function largest(): Promise<{ result: number; value: number }> {
  const found = { result: 0, value: 0 };
  const binding = watchDatabase(env[MAIL_BINDING], async (_, statements, run) => {
    const results = await run();
    found.result = Math.max(found.result, JSON.stringify(results.map((one) => one.results)).length);
    const values = statements.flatMap((statement) => statement.values);
    found.value = Math.max(found.value, ...values.map((value) => String(value).length));
    return results;
  });
  await runAutomations(testContext({ [MAIL_BINDING]: binding, ...silent }));
  return found;
}

/** Gives a person contacts with 60,000 bytes of metadata each, in lists of their own. */
async function addContacts({ workspaceNumber }: TestWorkspace, email: string, count: number): Promise<void> {
  await mail.batch([
    mail
      .prepare(
        `WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < ?2)
         INSERT INTO contact_lists (workspace, id, name, contact_count, created_at) SELECT ?1, ?3 || i, 'L', 1, 0 FROM c`,
      )
      .bind(workspaceNumber, count, `${workspaceNumber} ${email} `),
    mail
      .prepare(
        `INSERT INTO contacts (workspace, list, id, email, email_key, metadata, created_at)
         SELECT workspace, n, 'c' || n, ?2, ?2, json_object('f', hex(zeroblob(30000))), 0 FROM contact_lists
          WHERE workspace = ?1 AND substr(id, 1, length(?3)) = ?3`,
      )
      .bind(workspaceNumber, email, `${workspaceNumber} ${email} `),
  ]);
}

it("of a person with many contacts the oldest are read, up to a megabyte of the named fields", async () => {
  await addContacts(workspace, "p@example.org", 300);
  const ctx = testContext();
  const keys = ["p@example.org"];
  const large = (await loadPeople(ctx, workspace.workspaceNumber, keys, referencesOf(filter))).get("p@example.org");
  expect(large?.contacts).toHaveLength(16);
  const plain = (await loadPeople(ctx, workspace.workspaceNumber, keys, referencesOf())).get("p@example.org");
  expect(plain?.contacts).toHaveLength(200);
  expect(plain?.contacts[0]).toMatchObject({ id: large?.contacts[0]?.id });
  const page = await loadPeoplePage(ctx, workspace.workspaceNumber, { after: "", limit: 500 }, referencesOf(filter));
  expect(page.people.get("p@example.org")?.contacts).toHaveLength(16);
  expect(page).toMatchObject({ size: 1, last: null });
});

it("people with a megabyte each are read in several pages, and the person of another tenant enters", async () => {
  await automationsOf(workspace, silent).start({ ...waiting, trigger: { event: "signed_up", filter } });
  const theirs = automationsOf(other, silent);
  const { id } = await theirs.start(waiting);
  await aList(other, [{ email: "victim@example.org" }]);
  for (let n = 0; n < 12; n++) await addContacts(workspace, `p${n}@example.org`, 20);
  for (let n = 0; n < 12; n++) await anEvent(workspace, `p${n}@example.org`);
  await anEvent(other, "victim@example.org");
  expect((await largest()).result).toBeLessThan(10_000_000);
  expect(await theirs.runs(id)).toHaveLength(1);
});

it("the runs that one event begins of many large automations move in several pages", async () => {
  const own = automationsOf(workspace, silent);
  await aList(workspace, [{ email: "p@example.org" }]);
  const notes = Array.from({ length: 100 }, () => ({ kind: "notify", message: "x".repeat(1_000) }));
  const list = { kind: "remove_from_list", list_id: await aList(workspace, []) };
  const branch = (depth: number): object =>
    depth === 0
      ? list
      : {
          kind: "branch",
          when: { any: Array.from({ length: 49 }, () => ({ ...filter, value: "y".repeat(1_000) })) },
          then_steps: [],
          else_steps: [branch(depth - 1)],
        };
  const steps = [...waiting.steps, branch(8), ...notes.slice(0, 50)];
  const ids: string[] = [];
  for (let n = 0; n < 30; n++) ids.push((await own.start({ name: `A${n}`, steps })).id);
  await anEvent(workspace, "p@example.org");
  expect((await largest()).result).toBeLessThan(10_000_000);
  for (const id of ids) expect(await own.runs(id)).toMatchObject([{ status: "active" }]);
});

it("an event that begins runs of 100 automations with filters of 200 KB is read in several pages", async () => {
  const own = automationsOf(workspace, silent);
  await aList(workspace, [{ email: "p@example.org" }]);
  const { id } = await own.start(waiting);
  const copies = "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 99) ";
  const of = "c CROSS JOIN automations a ON a.id = ?1";
  // Large conditions, any of which holds: the event begins all runs.
  const large = JSON.stringify({
    any: [{ event: "plan", is: "exists" }, ...Array(200).fill({ ...filter, value: "y".repeat(1_000) })],
  });
  await mail.batch([
    mail
      .prepare(
        `${copies} INSERT INTO automation_versions (workspace, automation, number, definition, created_at)
       SELECT a.workspace, a.n + 1000 + i, 1, v.definition, 0 FROM ${of} CROSS JOIN automation_versions v ON v.n = a.version`,
      )
      .bind(id),
    mail
      .prepare(
        `${copies} INSERT INTO automations (n, workspace, id, user_id, name, status, definition, size, trigger_event, version, version_number, created_at, updated_at)
       SELECT a.n + 1000 + i, a.workspace, a.id || i, a.user_id, 'A', 'active', '{}', 2, a.trigger_event, v.n, 1, 0, 0
         FROM ${of} CROSS JOIN automation_versions v ON v.automation = a.n + 1000 + i`,
      )
      .bind(id),
    mail
      .prepare(
        "UPDATE automation_versions SET definition = json_set(definition, '$.trigger.filter', json(?2)) WHERE workspace = ?1",
      )
      .bind(workspace.workspaceNumber, large),
  ]);
  await anEvent(workspace, "p@example.org", { data: { plan: "gold" } });
  expect((await largest()).result).toBeLessThan(10_000_000);
  const runs = "SELECT count(*) AS n FROM automation_runs WHERE workspace = ?1";
  expect(await mail.prepare(runs).bind(workspace.workspaceNumber).first("n")).toBe(100);
});

it("changes of topics with large data of events are made whatever their size", async () => {
  const own = automationsOf(workspace, silent);
  const topic = await own.expectJson<{ id: string }>(await own.api.post("/v1/topics/", { name: "News" }), 201);
  const people = Array.from({ length: 150 }, (_, n) => `p${n}@example.org`);
  await aList(
    workspace,
    people.map((email) => ({ email })),
  );
  const { id } = await own.start({ steps: [{ kind: "change_topic", topic_id: topic.id, subscribed: false }] });
  for (const email of people) await anEvent(workspace, email, { data: { x: '"'.repeat(8_000) } });
  expect((await largest()).value).toBeLessThan(2_000_000);
  const { results } = await mail
    .prepare("SELECT status, failures FROM automation_runs WHERE workspace = ?1")
    .bind(workspace.workspaceNumber)
    .all();
  expect(results).toEqual(people.map(() => ({ status: "completed", failures: 0 })));
  expect((await own.read(id)).status).toBe("active");
});

describe("a run of the engine whose work is used up", () => {
  const compares = {
    all: Array.from({ length: 40 }, (_, n) => ({ field: "f", is: "contains", value: n === 0 ? "0" : "00" })),
  };
  const people = Array.from({ length: 8 }, (_, n) => `delivered+${n}@simulator.test`);

  /** Runs the engine with so little work that a page of 8 people takes several runs, until it has nothing to do. Returns the runs. */
  async function runsOfEngine(): Promise<number> {
    for (let runs = 1; ; runs++) {
      const limits = { ...newRunLimits(), work: 500_000 };
      await runAutomations(onShard(withLimits(testContext(silent), limits), FILE_SHARD));
      if (limits.work > 0) return runs;
    }
  }

  it("begins no further run, and the next one goes on", async () => {
    const own = automationsOf(workspace, silent);
    for (const email of people) await addContacts(workspace, email, 1);
    const { id } = await own.start({ ...waiting, trigger: { event: "signed_up", filter: compares } });
    for (const email of people) await anEvent(workspace, email);
    expect(await runsOfEngine()).toBeGreaterThanOrEqual(people.length);
    expect((await own.runs(id)).map(({ email }) => email).toSorted()).toEqual(people);
  });

  it("moves no further run, and the next one goes on", async () => {
    const own = automationsOf(workspace, silent);
    for (const email of people) await addContacts(workspace, email, 1);
    const branch = { kind: "branch", when: compares, then_steps: waiting.steps, else_steps: [] };
    const { id } = await own.start({ steps: [branch] });
    for (const email of people) await anEvent(workspace, email);
    expect(await runsOfEngine()).toBeGreaterThanOrEqual(people.length);
    expect((await own.read(id)).step_counters).toEqual({ 0: 8, "0.then_steps.0": 8 });
  });

  it("makes no further email, and the next one goes on", async () => {
    const own = automationsOf(workspace, silent);
    await aList(
      workspace,
      people.map((email) => ({ email })),
    );
    const subject = "{% for i in (1..3000) %}{% endfor %}Hello";
    const step = { kind: "send_email", mailbox_id: workspace.mailboxId, language: "liquid", subject, text: "Hello" };
    await own.start({ steps: [step] });
    for (const email of people) await anEvent(workspace, email);
    expect(await runsOfEngine()).toBeGreaterThanOrEqual(people.length);
    expect((await emailsOf(workspace)).map(({ email }) => email).toSorted()).toEqual(people);
  });
});
