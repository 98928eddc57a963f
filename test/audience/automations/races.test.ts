import { beforeEach, expect, it } from "vitest";
import { runAutomations } from "../../../src/audience/automations/index.ts";
import { database, wrapDatabases } from "../../support/databases.ts";
import { aWorkspace, perTest, testContext } from "../../support/workspace.ts";
import { aList, anEvent, automationsOf, emailsOf, runEngine, silent } from "./support.ts";

const workspace = perTest(aWorkspace);
const automations = perTest(() => automationsOf(workspace));
const people = Array.from({ length: 30 }, (_, n) => `delivered+p${n}@simulator.test`);

beforeEach(async () => {
  await aList(
    workspace,
    people.map((email) => ({ email })),
  );
});

const email = () => ({ kind: "send_email", mailbox_id: workspace.mailboxId, subject: "Welcome", text: "Hello" });
const enter = async (at = Date.now()) => {
  for (const person of people) await anEvent(workspace, person, { at });
};

/** Runs the engine with a database on which `act` runs before the call with this number. */
async function runWith(act: (sql: string) => Promise<void>, now = Date.now()): Promise<void> {
  const bindings = wrapDatabases((real) => ({
    prepare: (sql) => real.prepare(sql),
    batch: async (statements) => {
      await act(JSON.stringify(statements.map((statement) => (statement as { statement?: string }).statement ?? "")));
      return real.batch(statements);
    },
  }));
  await runAutomations(testContext({ ...silent, ...bindings }, () => now));
}

it("a person who is taken out at any moment gets no email after that, and the others get theirs once", async () => {
  const { id } = await automations.start({ steps: [{ kind: "wait", for: { minutes: 1 } }, email()] });
  const now = Date.now();
  await enter(now);
  await runEngine(now);
  const [first] = await automations.runs(id);
  let calls = 0;
  await runWith(async () => {
    // Between the decision and the write of the page.
    if (++calls !== 4) return;
    expect((await automations.api.call("DELETE", automations.path(id, `/runs/${first?.id}`))).status).toBe(204);
  }, now + 60_000);
  await runEngine(now + 60_000);
  expect(calls).toBeGreaterThan(4);
  const got = (await emailsOf(workspace)).map((one) => one.email);
  expect(new Set(got).size).toBe(got.length);
  expect(got.toSorted()).toEqual(people.filter((person) => person !== first?.email).toSorted());
});

it("a run of the engine whose lease is over writes nothing any more", async () => {
  await automations.start({ steps: [email()] });
  const now = Date.now();
  await enter(now);
  let isTaken = false;
  await runWith(async () => {
    if (isTaken) return;
    isTaken = true;
    // Another run takes over, as after 30 seconds without a page.
    await database.run("UPDATE automation_engine SET until = 0");
    await runEngine(now);
  }, now).catch((error: unknown) => {
    if (!String(error).includes("another writer")) throw error;
  });
  await runEngine(now);
  const got = (await emailsOf(workspace)).map((one) => one.email);
  expect(got.toSorted()).toEqual(people.toSorted());
});

it("many engine runs at once move each run once", async () => {
  const { id } = await automations.start({
    steps: [{ kind: "set_field", field: "plan", value: "gold" }, email(), { kind: "notify", message: "Here" }],
  });
  await enter();
  await Promise.all(Array.from({ length: 5 }, () => runAutomations(testContext(silent))));
  await runEngine();
  expect(await emailsOf(workspace)).toHaveLength(people.length);
  expect((await automations.read(id)).step_counters).toEqual({ 0: 30, 1: 30, 2: 30 });
});

it("a run whose move fails holds up no other, and is tried again later", async () => {
  const { id } = await automations.start({ steps: [{ kind: "wait", for: { minutes: 1 } }, email()] });
  const now = Date.now();
  await enter(now);
  await runEngine(now);
  const [broken] = await automations.runs(id);
  await database.run("UPDATE automation_runs SET data = 'broken' WHERE id = ?1", [broken?.id]);
  await runEngine(now + 60_000);
  const got = (await emailsOf(workspace)).map((one) => one.email);
  expect(got.toSorted()).toEqual(people.filter((person) => person !== broken?.email).toSorted());
  await database.run("UPDATE automation_runs SET data = '{}' WHERE id = ?1", [broken?.id]);
  await runEngine(now + 75_000);
  expect(await emailsOf(workspace)).toHaveLength(people.length);
});

it("a change by an automation begins others, at most five in a row, and never itself", async () => {
  const chain = [];
  for (let n = 0; n < 7; n++)
    chain.push(
      await automations.start({
        name: `Chain ${n}`,
        trigger: {
          event: n === 0 ? "signed_up" : "contact.field_changed",
          ...(n === 0 ? {} : { filter: { event: `fields.step${n - 1}`, is: "exists" } }),
        },
        entry: { mode: "every" },
        steps: [{ kind: "set_field", field: `step${n}`, value: n }],
      }),
    );
  const loop = await automations.start({
    trigger: { event: "contact.field_changed" },
    entry: { mode: "every" },
    steps: [{ kind: "set_field", field: "looped", value: "yes" }],
  });
  await anEvent(workspace, people[0] ?? "");
  await runEngine();
  await runEngine();
  const entered = await Promise.all(chain.map(async ({ id }) => (await automations.read(id)).counters.entered));
  expect(entered).toEqual([1, 1, 1, 1, 1, 0, 0]);
  // Once by each change of the chain that is not too far from the start, and by none of its own.
  expect((await automations.read(loop.id)).counters.entered).toBe(4);
});
