import { beforeEach, expect, it } from "vitest";
import { database } from "../../support/databases.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { insertDomain } from "../../support/transfers.ts";
import { aKey, apiWith, aWorkspace, perTest } from "../../support/workspace.ts";
import { aList, anEvent, automationsOf, emailsOf, runEngine } from "./support.ts";

const workspace = perTest(aWorkspace);
const automations = perTest(() => automationsOf(workspace));
let list: string;
const ada = "delivered+ada@simulator.test";
const HOUR = 3_600_000;

beforeEach(async () => {
  list = await aList(workspace, [{ email: ada, name: "Ada", metadata: { plan: "gold" } }]);
});

const mail = (subject = "Welcome {{name}}") => ({
  kind: "send_email",
  mailbox_id: workspace.mailboxId,
  subject,
  html: "<p>Hello {{name}}</p>",
});

it("an event begins a run, which waits, sends and ends, and tells what it did", async () => {
  const { id } = await automations.start({
    steps: [{ kind: "wait", for: { hours: 1 } }, mail(), { kind: "wait", for: { days: 1 } }, mail("Second")],
  });
  const start = Date.now();
  await anEvent(workspace, ada);
  await runEngine(start);
  expect(await emailsOf(workspace)).toEqual([]);
  expect(await automations.runs(id)).toMatchObject([{ email: ada, status: "active", step: "0", version: 1 }]);
  await runEngine(start + HOUR);
  expect(await emailsOf(workspace)).toMatchObject([{ email: ada, subject: "Welcome Ada", status: "queued" }]);
  await runEngine(start + 25 * HOUR);
  await runEngine(start + 26 * HOUR);
  expect(await emailsOf(workspace)).toHaveLength(2);
  await runOutboxAt(start + 27 * HOUR, {}, ["bulk", "deliver"]);
  expect((await emailsOf(workspace)).map(({ status }) => status)).toEqual(["delivered", "delivered"]);
  const texts = await automations.texts(id);
  expect(texts.map((text) => text.replace(/\d{4}-\S+Z/, "…"))).toEqual([
    "Entered by signed_up.",
    "Waits until ….",
    "Sent the email “Welcome Ada”.",
    "Waits until ….",
    "Sent the email “Second”.",
  ]);
  expect(await automations.read(id)).toMatchObject({
    counters: { entered: 1, active: 0, completed: 1, exited: 0, removed: 0 },
    step_counters: { 0: 1, 1: 1, 2: 1, 3: 1 },
  });
});

it("a key restricted to domains reads only automations that send, all from mailboxes of these", async () => {
  const other = await insertDomain(workspace);
  const { id: elsewhere } = await workspace.create("/v1/mailboxes/", { domain_id: other.id, local_part: "hello" });
  const branch = (then_steps: object[]) => ({
    kind: "wait_for_event",
    event: "paid",
    limit: { days: 1 },
    then_steps,
    else_steps: [],
  });
  const shown = await automations.create({ steps: [branch([mail()])] });
  const mixed = await automations.create({ steps: [mail(), branch([{ ...mail(), mailbox_id: elsewhere }])] });
  const silent = await automations.create({ steps: [{ kind: "notify", message: "New" }] });
  const key = await aKey(workspace, { scopes: ["automations:view"], domainIds: [workspace.domainId] });
  const { get, post } = apiWith(key);
  const list = await (await get("/v1/automations/")).json<{ id: string }[]>();
  expect(list.map(({ id }) => id)).toEqual([shown.id]);
  expect((await get(automations.path(shown.id, "/runs"))).status).toBe(200);
  for (const { id } of [mixed, silent]) {
    for (const rest of ["", "/runs"]) expect((await get(automations.path(id, rest))).status).toBe(404);
    expect((await post(automations.path(id, "/dry-run"), { email: ada })).status).toBe(404);
  }
});

it("a wait ends by its event, or takes the other branch when that does not come", async () => {
  const { id } = await automations.start({
    steps: [
      {
        kind: "wait_for_event",
        event: "order.paid",
        filter: { event: "total", is: "greater", value: 10 },
        limit: { days: 2 },
        then_steps: [mail("Thanks for {{event}}")],
        else_steps: [mail("Reminder")],
      },
    ],
  });
  const start = Date.now();
  await anEvent(workspace, ada);
  await runEngine(start);
  await anEvent(workspace, ada, { name: "order.paid", data: { total: 5 }, at: start + 1 });
  await runEngine(start + HOUR);
  expect(await emailsOf(workspace)).toEqual([]);
  await anEvent(workspace, ada, { name: "order.paid", data: { total: 50 }, at: start + HOUR });
  await runEngine(start + 2 * HOUR);
  expect((await emailsOf(workspace)).map(({ subject }) => subject)).toMatchObject([/^Thanks/]);
  const texts = await automations.texts(id);
  expect(texts.at(-2)).toBe("order.paid came: took the first branch.");
});

it("steps change contacts, lists and branches, and each person enters once", async () => {
  const other = await aList(workspace, [], "Other");
  const { id } = await automations.start({
    steps: [
      { kind: "set_field", field: "plan", value: "silver" },
      { kind: "add_to_list", list_id: other },
      {
        kind: "branch",
        when: { field: "plan", is: "equals", value: "silver" },
        then_steps: [{ kind: "remove_from_list", list_id: list }],
        else_steps: [mail("wrong")],
      },
    ],
  });
  await anEvent(workspace, ada);
  await anEvent(workspace, ada);
  await runEngine();
  const results = await database.rows(
    "SELECT l.name, c.email, c.name AS person, c.metadata FROM contacts c JOIN contact_lists l ON l.n = c.list WHERE c.workspace = ?1",
    [workspace.workspaceNumber],
  );
  expect(results).toEqual([{ name: "Other", email: ada, person: "Ada", metadata: '{"plan":"silver"}' }]);
  expect(await automations.runs(id)).toMatchObject([{ status: "completed" }]);
  const counts = await database
    .prepare("SELECT name, contact_count AS contacts FROM contact_lists WHERE workspace = ?1 ORDER BY n")
    .bind(workspace.workspaceNumber)
    .all();
  expect(counts.results).toEqual([
    { name: "A list", contacts: 0 },
    { name: "Other", contacts: 1 },
  ]);
});
