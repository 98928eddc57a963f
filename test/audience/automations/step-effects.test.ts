import { beforeEach, expect, it } from "vitest";
import type { MailCtx, WakeUp } from "../../../src/platform/context.ts";
import { sweep } from "../../../src/platform/outbox/sweep.ts";
import { runOutboxRows } from "../../../src/run-outbox.ts";
import { webhooksOf } from "../../notices/webhooks/support.ts";
import { database } from "../../support/databases.ts";
import { eventsOf } from "../../support/person-events.ts";
import { aWorkspace, perTest, testContext, until } from "../../support/workspace.ts";
import { upload } from "../contacts/csv-support.ts";
import { aList, anEvent, automationsOf, runEngine, silent } from "./support.ts";

const people = ["delivered+a@simulator.test", "delivered+b@simulator.test"];

const workspace = perTest(aWorkspace);
const automations = perTest(() => automationsOf(workspace));

beforeEach(async () => {
  await aList(
    workspace,
    people.map((email) => ({ email, name: "Ada" })),
  );
});

const email = (changes: object = {}) => ({
  ...{ kind: "send_email", mailbox_id: workspace.mailboxId, subject: "Hello {{name}}", text: "Hello" },
  ...changes,
});

it("an email of a step has what the template in its content says", async () => {
  const footer = { name: "footer", html_body: "<p>Bye</p>", language: "liquid" };
  expect((await workspace.post("/v1/templates/", footer)).status).toBe(201);
  const html = "<p>Hello</p>{% render 'footer' %}";
  const { id } = await automations.start({ steps: [email({ language: "liquid", html })] });
  await anEvent(workspace, people[0] ?? "");
  await runEngine();
  expect(await automations.read(id)).toMatchObject({ counters: { completed: 1 } });
  const sql = "SELECT parts FROM broadcast_parts WHERE workspace = ?1";
  expect(await database.value(sql, [workspace.workspaceNumber])).toContain("<p>Bye</p>");
});

it("a step calls a webhook with the person and the data of the event, once", async () => {
  const { id: webhook_id } = await webhooksOf(workspace).create("http://127.0.0.1:9/hook", ["email.sent"]);
  const { id } = await automations.start({ steps: [{ kind: "webhook", webhook_id }] });
  await anEvent(workspace, people[0] ?? "", { data: { plan: "gold" } });
  await runEngine();
  const results = await database.rows<{ event_type: string; payload: string }>(
    "SELECT event_type, payload FROM webhook_deliveries WHERE workspace = ?1",
    [workspace.workspaceNumber],
  );
  expect(results.map(({ event_type }) => event_type)).toEqual(["automation.step"]);
  expect(JSON.parse(results[0]?.payload ?? "")).toMatchObject({
    ...{ event: "automation.step", automation_id: id, step: "0", recipient: people[0] },
    data: { plan: "gold" },
  });
});

it("a step sets no field that would make the metadata of a contact too large", async () => {
  const [full, other] = people;
  await database.run("UPDATE contacts SET metadata = json_object('a', ?2) WHERE workspace = ?1 AND email = ?3", [
    ...[workspace.workspaceNumber, "x".repeat(65_000), full],
  ]);
  await automations.start({ steps: [{ kind: "set_field", field: "note", value: "y".repeat(1_000) }] });
  for (const person of people) await anEvent(workspace, person);
  await runEngine();
  const sql = "SELECT email FROM contacts WHERE workspace = ?1 AND metadata ->> 'note' IS NOT NULL";
  expect(await database.rows(sql, [workspace.workspaceNumber])).toEqual([{ email: other }]);
});

it("all events of the service are recorded while an automation is active or paused, and no longer", async () => {
  const { id: list } = await (await workspace.post("/v1/contacts/", { name: "Imported" })).json<{ id: string }>();
  /** Imports a new contact, and returns whether that is an event. */
  const isRecorded = async () => {
    const email = `${crypto.randomUUID()}@example.org`;
    expect((await upload(automations.api, list, `email\n${email}\n`)).status).toBe(200);
    return (await eventsOf(workspace)).some((event) => event.email === email);
  };
  expect(await isRecorded()).toBe(false);
  const [first, second] = [await automations.start(), await automations.start()];
  await automations.act(first.id, "pause");
  expect(await isRecorded()).toBe(true);
  await automations.act(second.id, "archive");
  expect(await isRecorded()).toBe(true);
  await automations.act(first.id, "archive");
  expect(await isRecorded()).toBe(false);
  await automations.start();
  expect(await isRecorded()).toBe(true);
});

it("the events of an email of a step name the automation and the step", async () => {
  const when = { field: "name", is: "exists" };
  const steps = [{ kind: "branch", when, then_steps: [{ kind: "notify", message: "M" }, email()], else_steps: [] }];
  const { id } = await automations.start({ steps });
  // An exit by the event of one step, and of no other.
  const filter = { all: [{ event: "automation_step", is: "equals", value: "0.then_steps.1" }] };
  const waiting = await automations.start({ trigger: { event: "email.delivered", filter }, steps: [] });
  const other = { event: "automation_step", is: "equals", value: "0.then_steps.0" };
  const unmoved = await automations.start({ trigger: { event: "email.delivered", filter: other }, steps: [] });
  await anEvent(workspace, people[0] ?? "");
  await runEngine();
  await runEngine(Date.now() + 1);
  await until(
    async () => {
      await sweepAll(later());
      return (await eventsOf(workspace)).filter(({ name }) => name === "email.delivered");
    },
    (found) => found.length > 0,
  );
  const [delivered] = (await eventsOf(workspace)).filter(({ name }) => name === "email.delivered");
  expect(delivered?.data).toEqual({
    ...{ email_id: expect.any(String), broadcast_id: null, automation_id: id, automation_step: "0.then_steps.1" },
  });
  await runEngine(Date.now() + 2_000);
  expect(await automations.read(waiting.id)).toMatchObject({ counters: { entered: 1 } });
  expect(await automations.read(unmoved.id)).toMatchObject({ counters: { entered: 0 } });
});

const later = () => testContext(silent, () => Date.now() + 1_000);

/** Runs the rows of the mail database that are due. */
async function sweepAll(ctx: MailCtx): Promise<void> {
  const woken: WakeUp[] = [];
  const recording = { ...ctx, wake: async (rows: readonly WakeUp[]) => woken.push(...rows) > 0 };
  await sweep(recording);
  for (let rows = woken.splice(0); rows.length > 0; rows = woken.splice(0)) await runOutboxRows(recording, rows);
}

it("an email of a step is cancelled when the last contact of its person was deleted before dispatch", async () => {
  await automations.start({ steps: [email()] });
  for (const person of people) await anEvent(workspace, person);
  await runEngine();
  const [list] = await (await workspace.get("/v1/contacts/")).json<{ id: string }[]>();
  const contacts = await (await workspace.get(`/v1/contacts/${list?.id}`)).json<{
    contacts: { id: string; email: string }[];
  }>();
  const gone = contacts.contacts.find((contact) => contact.email === people[0]);
  const deleted = await workspace.call("DELETE", `/v1/contacts/${list?.id}/contacts/${gone?.id}`);
  expect(deleted.status).toBe(204);
  const statuses = async () =>
    (
      await database.rows<{ status: string; email: string }>(
        "SELECT status, recipients->>'$[0].email' AS email FROM emails WHERE workspace = ?1 ORDER BY email",
        [workspace.workspaceNumber],
      )
    ).map(({ status }) => status);
  await until(
    async () => {
      await sweepAll(later());
      return statuses();
    },
    (found) => !found.includes("queued"),
  );
  expect(await statuses()).toEqual(["cancelled", "delivered"]);
});
