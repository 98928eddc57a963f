import { beforeEach, expect, it } from "vitest";
import { LOCAL, webhooksOf } from "../../notices/webhooks/support.ts";
import { mail, withFailingCall } from "../../support/databases.ts";
import { aWorkspace, perTest } from "../../support/workspace.ts";
import { aList, anEvent, automationsOf, runEngine, runFailingEngine } from "./support.ts";

/** Webhook events about automations, in the transaction of their cause (docs/contract/webhooks.md#events-of-automations). */

const ada = "ada@example.org";
const ALL = ["automation.run_started", "automation.run_ended", "automation.paused"];

const workspace = perTest(aWorkspace);
const automations = perTest(() => automationsOf(workspace, LOCAL));

beforeEach(async () => {
  await aList(workspace, [{ email: ada }]);
});

async function deliveries() {
  const sql = "SELECT event_type AS event, payload FROM webhook_deliveries WHERE workspace = ?1 ORDER BY n";
  const { results } = await mail.prepare(sql).bind(workspace.workspaceNumber).all<{ event: string; payload: string }>();
  return results.map(({ payload }) => JSON.parse(payload) as Record<string, unknown>);
}
const names = async () => (await deliveries()).map(({ event, status }) => (status ? `${event} ${status}` : event));
const subscribe = (events: string[]) => webhooksOf(workspace).create("http://127.0.0.1:9/hook", events);
const wait = { kind: "wait", for: { hours: 1 } };

it("a run that begins and completes is told with its person, and a pause by a user without a reason", async () => {
  await subscribe(ALL);
  const { id } = await automations.start({ steps: [{ kind: "notify", message: "M" }] });
  await anEvent(workspace, ada);
  await runEngine(Date.now(), LOCAL);
  const [run] = await automations.runs(id);
  await automations.act(id, "pause");
  const base = { automation_id: id, timestamp: expect.stringMatching(/^\d{4}-.*Z$/) };
  const of = { ...base, run_id: run?.id, recipient: ada };
  expect(await deliveries()).toEqual([
    { event: "automation.run_started", ...of },
    { event: "automation.run_ended", ...of, status: "completed" },
    { event: "automation.paused", ...base, reason: null },
  ]);
});

it("a person who is taken out, and all who leave with an archived automation, are told", async () => {
  await subscribe(["automation.run_ended"]);
  await aList(workspace, [{ email: "grace@example.org" }]);
  const { id } = await automations.start({ steps: [wait] });
  for (const person of [ada, "grace@example.org"]) await anEvent(workspace, person);
  await runEngine(Date.now(), LOCAL);
  const [run] = await automations.runs(id);
  const remove = () => automations.api.call("DELETE", automations.path(id, `/runs/${run?.id}`));
  const removed = await Promise.all([remove(), remove()]);
  expect(removed.map(({ status }) => status).sort()).toEqual([204, 409]);
  await automations.act(id, "archive");
  await runEngine(Date.now(), LOCAL);
  expect(await names()).toEqual(["automation.run_ended removed", "automation.run_ended exited"]);
});

it("a pause by the service is told once, with the reason", async () => {
  await subscribe(["automation.paused"]);
  const { mailboxId: mailbox_id } = workspace;
  const { id } = await automations.start({ steps: [{ kind: "send_email", mailbox_id, subject: "S", text: "T" }] });
  expect((await workspace.call("PATCH", `/v1/mailboxes/${mailbox_id}`, { is_active: false })).status).toBe(200);
  await anEvent(workspace, ada);
  await runEngine(Date.now(), LOCAL);
  await runEngine(Date.now(), LOCAL);
  const { pause_reason } = await automations.read(id);
  expect(pause_reason).toContain("Step 1 can send no email");
  expect(await deliveries()).toMatchObject([{ event: "automation.paused", automation_id: id, reason: pause_reason }]);
});

it("a webhook gets only the events that it subscribes to, and a workspace without one has no delivery", async () => {
  const run = async () => {
    const { id } = await automations.start({ steps: [] });
    await anEvent(workspace, ada);
    await runEngine(Date.now(), LOCAL);
    await automations.act(id, "pause");
  };
  await run();
  expect(await names()).toEqual([]);
  await subscribe(["email.sent"]);
  await subscribe(["automation.run_started"]);
  await run();
  expect(await names()).toEqual(["automation.run_started"]);
});

it("each event is there once, whichever D1 call of the engine fails, before or after it is done", async () => {
  await subscribe(ALL);
  await automations.start({ steps: [{ kind: "set_field", field: "stage", value: "new" }] });
  const now = Date.now();
  await anEvent(workspace, ada, { at: now });
  for (let failing = 0; failing < 60; failing++) {
    const { bindings, hit } = withFailingCall({ failing, moment: failing % 2 === 0 ? "after" : "before" });
    await runFailingEngine(now, { ...LOCAL, ...bindings });
    if (hit() === null) break;
  }
  await runEngine(now, LOCAL);
  expect(await names()).toEqual(["automation.run_started", "automation.run_ended completed"]);
});
