import { env } from "cloudflare:workers";
import { beforeEach, expect, it } from "vitest";
import { createContext, type MailCtx } from "../../../src/platform/context.ts";
import { onShard } from "../../../src/platform/jobs/shards.ts";
import { sweep, type WakeUp } from "../../../src/platform/outbox/index.ts";
import { runOutboxRows } from "../../../src/run-outbox.ts";
import { webhooksOf } from "../../notices/webhooks/support.ts";
import { FILE_SHARD, MAIL_BINDING, mail, withFailingCall } from "../../support/databases.ts";
import { eventsOf } from "../../support/person-events.ts";
import { run } from "../../support/sending.ts";
import { aWorkspace, type TestWorkspace, until } from "../../support/workspace.ts";
import {
  type Automations,
  aList,
  anEvent,
  automationsOf,
  emailsOf,
  runEngine,
  runFailingEngine,
  silent,
} from "./support.ts";

const NEWEST = 1 - FILE_SHARD;
const newest = MAIL_BINDING === "MAIL_0" ? env.MAIL_1 : env.MAIL_0;
const people = ["delivered+a@simulator.test", "delivered+b@simulator.test"];

let workspace: TestWorkspace;
let automations: Automations;

beforeEach(async () => {
  workspace = await aWorkspace();
  automations = automationsOf(workspace);
  await aList(
    workspace,
    people.map((email) => ({ email, name: "Ada" })),
  );
});

const email = (changes: object = {}) => ({
  ...{ kind: "send_email", mailbox_id: workspace.mailboxId, subject: "Hello {{name}}", text: "Hello" },
  ...changes,
});

async function emailsThere() {
  const sql =
    "SELECT id, subject, contact FROM emails WHERE workspace = ?1 AND source = 'automation' ORDER BY subject, n";
  return (await newest.prepare(sql).bind(workspace.workspaceNumber).all<{ id: string; contact: number | null }>())
    .results;
}

it("emails go to the newest mail database, each once, whichever call fails before or after it is done", async () => {
  await run("UPDATE workspaces SET mail_shards = ?2 WHERE id = ?1", workspace.workspaceId, `[${NEWEST},${FILE_SHARD}]`);
  const created = await workspace.post("/v1/templates/", {
    name: "footer",
    html_body: "<p>Bye</p>",
    language: "liquid",
  });
  expect(created.status).toBe(201);
  const html = "<p>Hello</p>{% render 'footer' %}";
  const { id } = await automations.start({ steps: [email(), email({ subject: "Second", language: "liquid", html })] });
  const now = Date.now();
  for (const person of people) await anEvent(workspace, person, { at: now });
  for (let failing = 0; failing < 60; failing++) {
    const { bindings, hit } = withFailingCall({ failing, moment: failing % 2 === 0 ? "after" : "before" });
    await runFailingEngine(now, bindings);
    if (hit() === null) break;
  }
  await runEngine(now);
  expect(await emailsOf(workspace)).toEqual([]);
  const there = await emailsThere();
  expect(there).toMatchObject([
    ...[{ subject: "Hello Ada" }, { subject: "Hello Ada" }],
    ...[{ subject: "Second" }, { subject: "Second" }],
  ]);
  // The contact is in the first database, and dispatch would take it for deleted.
  expect(there.map(({ contact }) => contact)).toEqual([null, null, null, null]);
  expect(await automations.read(id)).toMatchObject({ counters: { completed: 2 } });
});

it("a step calls a webhook with the person and the data of the event, once", async () => {
  const { id: webhook_id } = await webhooksOf(workspace).create("http://127.0.0.1:9/hook", ["email.sent"]);
  const { id } = await automations.start({ steps: [{ kind: "webhook", webhook_id }] });
  await anEvent(workspace, people[0] ?? "", { data: { plan: "gold" } });
  await runEngine();
  const { results } = await mail
    .prepare("SELECT event_type, payload FROM webhook_deliveries WHERE workspace = ?1")
    .bind(workspace.workspaceNumber)
    .all<{ event_type: string; payload: string }>();
  expect(results.map(({ event_type }) => event_type)).toEqual(["automation.step"]);
  expect(JSON.parse(results[0]?.payload ?? "")).toMatchObject({
    ...{ event: "automation.step", automation_id: id, step: "0", recipient: people[0] },
    data: { plan: "gold" },
  });
});

it("events of the service are recorded while an automation is active or paused, and no longer", async () => {
  const flags = () =>
    mail
      .prepare("SELECT people & 2 AS flag FROM shard_workspaces WHERE number = ?1")
      .bind(workspace.workspaceNumber)
      .first("flag");
  const [first, second] = [await automations.start(), await automations.start()];
  await automations.act(first.id, "pause");
  expect(await flags()).toBe(2);
  await automations.act(second.id, "archive");
  expect(await flags()).toBe(2);
  await automations.act(first.id, "archive");
  expect(await flags()).toBe(0);
  await automations.start();
  expect(await flags()).toBe(2);
});

it.each([1, 2])(
  "the events of an email of a step name the automation and the step, with %i mail databases",
  async (count) => {
    if (count === 2)
      await run(
        "UPDATE workspaces SET mail_shards = ?2 WHERE id = ?1",
        workspace.workspaceId,
        `[${NEWEST},${FILE_SHARD}]`,
      );
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
    const shard = count === 2 ? NEWEST : FILE_SHARD;
    const ctx = createContext({ ...env, ...silent } as unknown as Env, "test", () => Date.now() + 1_000);
    await until(
      async () => {
        await sweepAll(onShard(ctx, shard));
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
  },
);

/** Runs the rows of a database that are due: emails, and events to be copied. */
async function sweepAll(ctx: MailCtx): Promise<void> {
  const woken: WakeUp[] = [];
  const recording = { ...ctx, wake: async (rows: readonly WakeUp[]) => woken.push(...rows) > 0 };
  await sweep(recording);
  for (let rows = woken.splice(0); rows.length > 0; rows = woken.splice(0)) await runOutboxRows(recording, rows);
}

it("an email in another mail database is cancelled when the last contact of its person was deleted before dispatch", async () => {
  await run("UPDATE workspaces SET mail_shards = ?2 WHERE id = ?1", workspace.workspaceId, `[${NEWEST},${FILE_SHARD}]`);
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
      await newest
        .prepare("SELECT status, recipients->>'$[0].email' AS email FROM emails WHERE workspace = ?1 ORDER BY email")
        .bind(workspace.workspaceNumber)
        .all<{ status: string; email: string }>()
    ).results.map(({ status }) => status);
  const ctx = createContext({ ...env, ...silent } as unknown as Env, "test", () => Date.now() + 1_000);
  await until(
    async () => {
      await sweepAll(onShard(ctx, NEWEST));
      return statuses();
    },
    (found) => !found.includes("queued"),
  );
  expect(await statuses()).toEqual(["cancelled", "delivered"]);
});
