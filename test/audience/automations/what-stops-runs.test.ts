/** The table of docs/contract/automations.md#what-ends-or-stops-a-run, row by row. */
import { beforeEach, expect, it } from "vitest";
import { cancelBroadcastsOfDomains } from "../../../src/audience/broadcasts/index.ts";
import { resumeHeld } from "../../../src/operations/backups/resume-held.ts";
import { RESTORED_REASON } from "../../../src/operations/backups/write-rows.ts";
import { erasePerson } from "../../../src/operations/purges/erasure.ts";
import { webhooksOf } from "../../notices/webhooks/support.ts";
import { database } from "../../support/databases.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { aTopic } from "../../support/topics.ts";
import { aWorkspace, perTest, testContext } from "../../support/workspace.ts";
import { aList, anEvent, automationsOf, emailsOf, runEngine } from "./support.ts";

const workspace = perTest(aWorkspace);
const automations = perTest(() => automationsOf(workspace));
let list: string;
let start: number;
const ada = "delivered+ada@simulator.test";
const HOUR = 3_600_000;
const wait = { kind: "wait", for: { hours: 1 } };

beforeEach(async () => {
  list = await aList(workspace, [{ email: ada, name: "Ada", metadata: { plan: "gold" } }]);
  start = Date.now();
});

const email = (changes: object = {}) => ({
  ...{ kind: "send_email", mailbox_id: workspace.mailboxId, subject: "Welcome", text: "Hello" },
  ...changes,
});

/** Starts an automation whose person waits for an hour before these steps. Returns its id. */
async function inside(steps: object[], changes: object = {}): Promise<string> {
  const { id } = await automations.start({ steps: [wait, ...steps], ...changes });
  await anEvent(workspace, ada, { at: start });
  await runEngine(start);
  return id;
}

// A minute more: the queue may have let the person enter, at its own time.
const later = (hours = 1) => runEngine(start + hours * HOUR + 60_000);
const subjects = async () => (await emailsOf(workspace)).map(({ subject }) => subject);
const statuses = async (id: string) => (await automations.runs(id)).map(({ status }) => status);
const call = (method: string, path: string, body?: unknown) => automations.api.call(method, path, body);
const noticesOf = async () =>
  (
    await testContext()
      .db.prepare("SELECT title, body FROM notifications WHERE workspace = ?1")
      .bind(workspace.workspaceNumber)
      .all<{ title: string; body: string }>()
  ).results;

async function deleteContacts(of: string): Promise<void> {
  const results = await database.rows<{ id: string }>(
    "SELECT c.id FROM contacts c JOIN contact_lists l ON l.n = c.list WHERE l.id = ?1",
    [of],
  );
  for (const { id } of results) await call("DELETE", `/v1/contacts/${of}/contacts/${id}`);
}

it("a run goes on when a contact is deleted and another is left, and ends with the last", async () => {
  const other = await aList(workspace, [{ email: ada }], "Other");
  const id = await inside([email(), wait, email({ subject: "Second" })]);
  await deleteContacts(list);
  await later();
  expect(await subjects()).toEqual(["Welcome"]);
  await call("DELETE", `/v1/contacts/${other}`);
  await runOutboxAt(Date.now() + HOUR, {}, ["purge"]);
  await later(3);
  expect([await subjects(), await statuses(id)]).toEqual([["Welcome"], ["exited"]]);
  expect((await automations.texts(id)).at(-1)).toBe("Left: no contact of the person is left.");
});

it("a run ends when a step removes the last contact", async () => {
  const id = await inside([{ kind: "remove_from_list", list_id: list }, email()]);
  await later();
  expect([await subjects(), await statuses(id)]).toEqual([[], ["exited"]]);
});

it("the erasure of a person deletes the runs, and the person may enter again", async () => {
  const id = await inside([email()]);
  const response = await call("DELETE", `/v1/people/${encodeURIComponent(ada)}`);
  const { id: erasure } = await response.json<{ id: string }>();
  while (!(await erasePerson(testContext(), { erasure, of: workspace.workspaceNumber }))) void 0;
  expect(await automations.runs(id)).toEqual([]);
  await later();
  expect(await emailsOf(workspace)).toEqual([]);
  await aList(workspace, [{ email: ada }], "Again");
  await anEvent(workspace, ada, { at: start + HOUR });
  await later();
  expect(await statuses(id)).toEqual(["active"]);
});

it("a paused automation keeps its runs, lets nobody enter, and goes on when it is active again", async () => {
  const id = await inside([email(), email({ subject: "Second" })]);
  await automations.act(id, "pause");
  await later();
  expect(await automations.runs(id)).toMatchObject([{ status: "active", step: "0", is_held: true }]);
  const eve = "delivered+eve@simulator.test";
  await aList(workspace, [{ email: eve }], "Other");
  await anEvent(workspace, eve, { at: start });
  await later(2);
  expect([await subjects(), (await automations.runs(id)).length]).toEqual([[], 1]);
  await automations.act(id, "activate");
  await later(2);
  expect([await subjects(), await statuses(id)]).toEqual([["Welcome", "Second"], ["completed"]]);
});

it("emails that have not left wait while their automation is paused, and are cancelled when it is archived", async () => {
  const id = await inside([email(), wait]);
  await later();
  await automations.act(id, "pause");
  await runOutboxAt(start + 2 * HOUR, {}, ["bulk", "deliver"]);
  expect(await emailsOf(workspace)).toMatchObject([{ status: "queued" }]);
  await automations.act(id, "archive");
  await runOutboxAt(start + 3 * HOUR, {}, ["bulk", "deliver"]);
  expect(await emailsOf(workspace)).toMatchObject([{ status: "cancelled" }]);
});

it("the runs of an archived automation end", async () => {
  const id = await inside([email()]);
  await automations.act(id, "archive");
  await runEngine(start);
  expect(await statuses(id)).toEqual(["exited"]);
  await later();
  expect(await subjects()).toEqual([]);
  expect((await automations.read(id)).counters).toMatchObject({ entered: 1, active: 0, exited: 1 });
});

it("a step whose list, topic or webhook was deleted is left out, and the history says so", async () => {
  const other = await aList(workspace, [], "Other");
  const topic = (await aTopic(workspace)).id;
  const { id: webhook_id } = await webhooksOf(workspace).create("http://127.0.0.1:9/hook", ["email.sent"]);
  const id = await inside([
    { kind: "add_to_list", list_id: other },
    { kind: "change_topic", topic_id: topic, subscribed: false },
    { kind: "webhook", webhook_id },
    email(),
  ]);
  for (const path of [`/v1/contacts/${other}`, `/v1/topics/${topic}`, `/v1/webhooks/${webhook_id}`])
    expect((await call("DELETE", path)).status).toBe(204);
  await later();
  expect([await subjects(), await statuses(id)]).toEqual([["Welcome"], ["completed"]]);
  expect((await automations.texts(id)).slice(2, 5)).toEqual([
    "The list does not exist any more.",
    "The topic does not exist any more.",
    "The webhook does not exist any more.",
  ]);
});

/** Expects that the automation was paused at its email with its owners notified, and that its run goes on after `mend`. */
async function expectPaused(id: string, reason: RegExp, mend: () => Promise<unknown>): Promise<void> {
  await later();
  const paused = await automations.read(id);
  expect(paused).toMatchObject({ status: "paused", counters: { active: 1 } });
  expect(paused.pause_reason).toMatch(reason);
  expect(await noticesOf()).toMatchObject([{ title: /^An automation was paused/, body: reason }]);
  expect(await subjects()).toEqual([]);
  await mend();
  await automations.act(id, "activate");
  await later(2);
  expect([await subjects(), await statuses(id)]).toEqual([["Welcome"], ["completed"]]);
}

it("an email whose topic was deleted pauses the automation", async () => {
  const topic = (await aTopic(workspace)).id;
  const id = await inside([email({ topic_id: topic })]);
  await call("DELETE", `/v1/topics/${topic}`);
  await later();
  expect(await automations.read(id)).toMatchObject({ status: "paused", pause_reason: /topic does not exist/ });
  // A version that is edited then is for others: this run keeps its own.
  expect(await subjects()).toEqual([]);
});

it("a mailbox that is inactive pauses the automation until it is active again", async () => {
  const id = await inside([email()]);
  const setActive = (is_active: boolean) => call("PATCH", `/v1/mailboxes/${workspace.mailboxId}`, { is_active });
  await setActive(false);
  await expectPaused(id, /inactive|not active/, () => setActive(true));
});

it("a domain that is not verified pauses the automation", async () => {
  const id = await inside([email()]);
  const setStatus = (status: string) =>
    testContext().db.prepare("UPDATE domains SET status = ?2 WHERE id = ?1").bind(workspace.domainId, status).run();
  await setStatus("pending");
  await expectPaused(id, /verified/, () => setStatus("verified"));
});

it("a domain that moved cancels emails that have not left, and pauses the automation at its next email", async () => {
  const id = await inside([email(), wait, email({ subject: "Second" })]);
  await later();
  await cancelBroadcastsOfDomains(testContext(), workspace.workspaceNumber, [workspace.domain], start + HOUR);
  await runOutboxAt(start + 2 * HOUR, {}, ["bulk", "deliver"]);
  expect(await emailsOf(workspace)).toMatchObject([{ status: "cancelled" }]);
  await later(3);
  expect(await automations.read(id)).toMatchObject({ status: "paused", pause_reason: /domain was moved/ });
});

it("people finish with the content of the template of their version", async () => {
  const created = await call("POST", "/v1/templates/", { name: "T", subject: "Old", text_body: "Old text" });
  const { id: template_id } = await created.json<{ id: string }>();
  const step = { kind: "send_email", mailbox_id: workspace.mailboxId, template_id };
  const id = await inside([step, wait, step]);
  await call("PATCH", `/v1/templates/${template_id}`, { subject: "New" });
  await later();
  await call("DELETE", `/v1/templates/${template_id}`);
  await later(3);
  expect([await subjects(), await statuses(id)]).toEqual([["Old", "Old"], ["completed"]]);
});

it("a condition on a segment that was deleted holds for nobody", async () => {
  const conditions = { field: "plan", is: "equals", value: "gold" };
  const created = await call("POST", "/v1/segments/", { name: "Gold", conditions });
  const { id: segment } = await created.json<{ id: string }>();
  const branch = { kind: "branch", when: { segment }, then_steps: [email()], else_steps: [email({ subject: "Else" })] };
  const id = await inside([branch, wait, branch]);
  await later();
  await database.run("DELETE FROM segments WHERE id = ?1", [segment]);
  await later(3);
  expect([await subjects(), await statuses(id)]).toEqual([["Welcome", "Else"], ["completed"]]);
});

it("runs go on while the workspace is paused, and their emails wait at dispatch", async () => {
  const id = await inside([email()]);
  await testContext()
    .db.prepare("UPDATE workspaces SET sending_paused_at = ?2 WHERE number = ?1")
    .bind(workspace.workspaceNumber, start)
    .run();
  await later();
  await runOutboxAt(start + 2 * HOUR, {}, ["bulk", "deliver"]);
  expect([await statuses(id), await emailsOf(workspace)]).toMatchObject([["completed"], [{ status: "queued" }]]);
});

it("a run waits at its email until the next day when the daily limit of the workspace is reached", async () => {
  await testContext()
    .db.prepare("UPDATE workspaces SET daily_limit = 1 WHERE number = ?1")
    .bind(workspace.workspaceNumber)
    .run();
  const id = await inside([email(), email({ subject: "Second" })]);
  await later();
  expect([await subjects(), await statuses(id)]).toEqual([["Welcome"], ["active"]]);
  expect((await automations.texts(id)).at(-1)).toMatch(/^The daily limit of emails of the workspace is reached/);
  await later(26);
  expect([await subjects(), await statuses(id)]).toEqual([["Welcome", "Second"], ["completed"]]);
});

it("a restored automation sends nothing until an operator resumes what is held", async () => {
  const id = await inside([email()]);
  await database.run("UPDATE automations SET status = 'paused', pause_reason = ?2 WHERE id = ?1", [
    id,
    RESTORED_REASON,
  ]);
  await later();
  expect(await subjects()).toEqual([]);
  while ((await resumeHeld(testContext())) > 0) void 0;
  await later(2);
  expect([await subjects(), await statuses(id)]).toEqual([["Welcome"], ["completed"]]);
});
