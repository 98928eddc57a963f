import { describe, expect, it } from "vitest";
import { runAutomations, type Step } from "../../../src/audience/automations/index.ts";
import {
  insertStep,
  moveStep,
  removeStep,
  replaceStep,
  stepAt,
} from "../../../src/web/dashboard/automations/edit-steps.ts";
import { aList, anEvent, markEntered } from "../../audience/automations/support.ts";
import { database } from "../../support/databases.ts";
import { aSession } from "../../support/sessions.ts";
import { aWorkspace, perSuite, testContext, until } from "../../support/workspace.ts";
import { submit } from "./support.ts";

/** The pages of automations: their forms do what the API does. */

const workspace = perSuite(aWorkspace);
const session = perSuite(() => aSession(workspace));

const textOf = async (path: string) => (await session.get(path)).text();
const send = (path: string, form: Record<string, string> = {}) => submit(session, path, form);
const locationOf = async (path: string, form: Record<string, string> = {}) =>
  (await send(path, form)).headers.get("Location");
const read = async (id: string) =>
  (await workspace.get(`/v1/automations/${id}`)).json<{ status: string; steps: Step[]; name: string; entry: object }>();

/** The fields of the condition that the plan is gold. */
const isGold = (name: string) => ({
  ...{ [`${name}.kind`]: "all", [`${name}.0.kind`]: "field", [`${name}.0.field`]: "plan" },
  ...{ [`${name}.0.is`]: "equals", [`${name}.0.value`]: "gold" },
});
const gold = { field: "plan", is: "equals", value: "gold" };

/** Returns what a page says, with the names of its buttons and links. */
const wordsOf = (html: string) =>
  html
    .replace(/<[^>]*? aria-label="([^"]*)"[^>]*>/g, " $1 ")
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ");

async function create(name: string): Promise<string> {
  const form = { name, event: "signed_up", idempotency_key: crypto.randomUUID() };
  const location = (await locationOf("/app/automations", form)) ?? "";
  expect(location).toMatch(/^\/app\/automations\/[0-9a-f-]{36}\?done=created$/);
  return location.split("/")[3]?.split("?")[0] ?? "";
}

it("an automation is made, filled with steps in order, changed and tried on its pages", async () => {
  expect(await textOf("/app/automations")).toContain("No automation yet.");
  const id = await create("Welcome");
  const path = `/app/automations/${id}`;
  const empty = await textOf(path);
  expect(empty).toContain(`href="${path}/steps/new?at=0&amp;kind=wait_for_event#step-new"`);
  expect(await textOf(`${path}/steps/new?at=0&kind=wait_for_event`)).toContain('name="event"');
  const save = async (at: string, form: Record<string, string>) =>
    expect(await locationOf(`${path}/steps/new?at=${at}`, form)).toBe(`${path}?done=saved#step-${at}`);
  await save("0", { kind: "wait", count: "2", unit: "hours" });
  await save("1", { kind: "branch", ...isGold("when") });
  await save("1.then_steps.0", {
    kind: "send_email",
    mailbox_id: workspace.mailboxId,
    subject: "Gold",
    text_body: "Hello",
  });
  await save("1.else_steps.0", { kind: "notify", message: "No gold" });
  await save("0", { kind: "set_field", field: "stage", value: "new" });
  expect(await locationOf(`${path}/steps/1/down`)).toBe(`${path}?done=saved#step-2`);
  const { steps } = await read(id);
  expect(steps.map(({ kind }) => kind)).toEqual(["set_field", "branch", "wait"]);
  expect(stepAt(steps, "1.then_steps.0")).toMatchObject({ kind: "send_email", subject: "Gold" });
  const page = await textOf(path);
  for (const text of [
    "Set stage to new",
    "If plan is “gold”",
    "Step 2, then 1",
    "Send “Gold” from",
    "Notify the team: No gold",
    "Wait 2 hours",
  ])
    expect(page).toContain(text);
  expect(await textOf(`${path}/steps/2`)).toContain('value="2"');
  await send(`${path}/steps/2`, { kind: "wait", count: "3", unit: "days" });
  await send(`${path}/steps/1.else_steps.0/delete`);
  expect((await read(id)).steps[2]).toEqual({ kind: "wait", for: { days: 3 } });
  const settings = { name: "Hello", event: "signed_up", mode: "every" };
  expect(await locationOf(`${path}/settings`, settings)).toBe(`${path}?done=saved`);
  expect(await read(id)).toMatchObject({ name: "Hello", entry: { mode: "every" } });
});

it("the form of a step takes a text of nearly 1,000,000 bytes, and shows one that is too long with the limit", async () => {
  const id = await create("Long");
  const text = "é".repeat(495_000);
  const email = { kind: "send_email", mailbox_id: workspace.mailboxId, subject: "Long", text_body: text };
  expect(await locationOf(`/app/automations/${id}/steps/new?at=0`, email)).toContain("done=saved");
  expect((await read(id)).steps).toMatchObject([{ kind: "send_email", text }]);
  const longer = await send(`/app/automations/${id}/steps/0`, { ...email, text_body: "x".repeat(1_000_001) });
  expect([longer.status, await longer.text()]).toEqual([422, expect.stringContaining("1000000 characters")]);
});

it("a form with a mistake is shown again with what was entered, and stores nothing", async () => {
  const id = await create("Mistakes");
  const path = `/app/automations/${id}`;
  const response = await send(`${path}/steps/new?at=0`, { kind: "wait", count: "-1", unit: "hours" });
  expect(response.status).toBe(422);
  expect(await response.text()).toContain('value="-1"');
  const wrong = { kind: "branch", ...isGold("when"), "when.0.is": "greater" };
  const condition = await send(`${path}/steps/new?at=0`, wrong);
  const html = await condition.text();
  expect(condition.status).toBe(422);
  for (const text of ['href="#when.0.value"', "must be a number", 'value="gold"']) expect(html).toContain(text);
  const empty = await send(`${path}/steps/new?at=0`, { kind: "branch" });
  expect([empty.status, await empty.text()]).toEqual([422, expect.stringContaining("Add a condition")]);
  expect((await read(id)).steps).toEqual([]);
});

it("conditions of a step are edited row by row, and a button of the rows saves nothing", async () => {
  const id = await create("Rows");
  const path = `/app/automations/${id}`;
  const wait = { kind: "wait_for_event", event: "order.paid", count: "2", unit: "days" };
  const row = await send(`${path}/steps/new?at=0`, {
    ...wait,
    action: "add filter",
    "filter.add": "event",
    "filter.kind": "all",
  });
  const html = await row.text();
  expect(row.status).toBe(200);
  for (const text of ['name="filter.0.event"', 'value="order.paid"', 'name="count" type="number"'])
    expect(html).toContain(text);
  expect((await read(id)).steps).toEqual([]);
  const total = { "filter.kind": "all", "filter.0.kind": "event", "filter.0.event": "total" };
  const filter = { ...total, "filter.0.is": "greater", "filter.0.value": "100" };
  expect(await locationOf(`${path}/steps/new?at=0`, { ...wait, ...filter })).toBe(`${path}?done=saved#step-0`);
  expect((await read(id)).steps).toEqual([
    {
      ...{ kind: "wait_for_event", event: "order.paid", limit: { days: 2 }, then_steps: [], else_steps: [] },
      filter: { event: "total", is: "greater", value: 100 },
    },
  ]);
  expect(await textOf(`${path}/steps/0`)).toContain('value="total"');
  expect(await textOf(path)).toContain("if total of the event is greater than “100”");
});

it("the rules of entry are fields, and the page tells who enters and leaves", async () => {
  const id = await create("Rules");
  const path = `/app/automations/${id}`;
  const settings = {
    ...{ name: "Rules", event: "signed_up", mode: "once_per_period", period_days: "30", emails_per_day: "2" },
    ...{ quiet_from: "22:00", quiet_to: "08:00", exit_events: "order.paid, left" },
    ...{ ...isGold("filter"), ...isGold("exit_when"), "exit_when.kind": "none" },
  };
  expect(await locationOf(`${path}/settings`, settings)).toBe(`${path}?done=saved`);
  const entry = {
    ...{ mode: "once_per_period", period_days: 30, exit_when: { not: gold }, exit_events: ["order.paid", "left"] },
    ...{ quiet_hours: { from: "22:00", to: "08:00" }, emails_per_day: 2 },
  };
  expect(await read(id)).toMatchObject({ entry, trigger: { event: "signed_up", filter: gold } });
  const page = await textOf(path);
  for (const text of ["signed_up, if plan is “gold”", "Once in 30 days", "22:00 to 08:00", "or after left"])
    expect(page).toContain(text);
  const form = await textOf(`${path}/settings`);
  for (const text of ['name="exit_when.0.value"', 'value="order.paid, left"', 'value="30"'])
    expect(form).toContain(text);
  for (const [changes, place] of [
    [{ mode: "once", period_days: "", quiet_to: "" }, "quiet_from"],
    [{ period_days: "" }, "period_days"],
    [{ event: "two words" }, "event"],
    [{ emails_per_day: "many" }, "emails_per_day"],
    [{ exit_events: "a/b" }, "exit_events"],
    [{ "filter.0.field": "" }, "filter.0.field"],
    [{ name: "a\u0000b" }, "name"],
  ] as const) {
    const refused = await send(`${path}/settings`, { ...settings, ...changes });
    expect([refused.status, await refused.text()], place).toEqual([422, expect.stringContaining(`href="#${place}"`)]);
  }
  const added = await send(`${path}/settings`, { ...settings, name: "Not saved", action: "add exit_when" });
  expect([added.status, await added.text()]).toEqual([200, expect.stringContaining('name="exit_when.1.field"')]);
  expect(await read(id)).toMatchObject({ name: "Rules", entry });
});

it("the form of a step stands at its card, and that of a new one at its place, also when another has moved the steps", async () => {
  const id = await create("Panel");
  const path = `/app/automations/${id}`;
  for (const at of ["0", "1"]) await send(`${path}/steps/new?at=${at}`, { kind: "notify", message: `Message ${at}` });
  const changed = await textOf(`${path}/steps/1`);
  expect(changed).toMatch(/<li id="step-1" class="chosen".*?Message 1.*?<section class="drawer".*?value="Message 1"/s);
  expect(changed).toContain(`action="${path}/steps/1/up"`);
  expect(changed).not.toContain(`${path}/steps/1/down`);
  const added = await textOf(`${path}/steps/new?at=1&kind=wait`);
  expect(added).toMatch(/id="step-0".*?<li id="step-new" class="chosen".*?name="count".*?<li id="step-1"/s);
  expect(await textOf(`${path}/steps/new`)).toMatch(/id="step-1".*?<li id="step-new".*?name="subject"/s);
  expect((await session.get(`${path}/steps/new?at=0&kind=unknown`)).status).toBe(404);
  const gone = await send(`${path}/steps/new?at=9`, { kind: "notify", message: "Not lost" });
  expect([gone.status, await gone.text()]).toEqual([409, expect.stringContaining('value="Not lost"')]);
});

it("a step that was changed meanwhile is not replaced", async () => {
  const id = await create("Meanwhile");
  const path = `/app/automations/${id}`;
  await send(`${path}/steps/new?at=0`, { kind: "notify", message: "One" });
  const [, version = ""] = /name="version" value="([^"]+)"/.exec(await textOf(`${path}/steps/0`)) ?? [];
  await send(`${path}/steps/new?at=0`, { kind: "notify", message: "Zero" });
  const response = await send(`${path}/steps/0`, { kind: "notify", message: "Other", version });
  expect(response.status).toBe(409);
  for (const action of ["down", "delete"])
    expect((await send(`${path}/steps/0/${action}`, { version })).status).toBe(409);
  expect((await read(id)).steps).toMatchObject([{ message: "Zero" }, { message: "One" }]);
});

it("of two forms that save at once from the same steps, one is refused with its input, and no step is lost", async () => {
  const id = await create("At once");
  const path = `/app/automations/${id}`;
  await send(`${path}/steps/new?at=0`, { kind: "notify", message: "First" });
  const [, version = ""] = /name="version" value="([^"]+)"/.exec(await textOf(`${path}/steps/0`)) ?? [];
  const messages = ["One", "Two", "Three"];
  const responses = await Promise.all(
    messages.map((message) => send(`${path}/steps/new?at=1`, { kind: "notify", message, version })),
  );
  const statuses = responses.map(({ status }) => status);
  expect([...statuses].sort()).toEqual([303, 409, 409]);
  const pages = await Promise.all(responses.map((response) => response.text()));
  for (const [index, message] of messages.entries())
    if (statuses[index] === 409) expect(pages[index]).toContain(`value="${message}"`);
  const kept = messages[statuses.indexOf(303)];
  expect((await read(id)).steps).toMatchObject([{ message: "First" }, { message: kept }]);
});

it("an automation is activated, shows who is inside and why, and is paused and archived", async () => {
  const id = await create("Run");
  const path = `/app/automations/${id}`;
  await send(`${path}/steps/new?at=0`, { kind: "wait", count: "1", unit: "days" });
  expect(await locationOf(`${path}/activate`)).toBe(`${path}?done=activated`);
  await aList(workspace, [{ email: "ada@example.org" }]);
  await anEvent(workspace, "ada@example.org");
  await until(
    () => runAutomations(testContext()),
    (hasRun) => hasRun,
  );
  expect(await textOf(path)).toContain("ada@example.org");
  expect(await textOf(`${path}?address=Ada%40example.org`)).toContain(`href="${path}/runs/`);
  for (const other of ["eve%40example.org", "no-address"]) {
    const found = await textOf(`${path}?address=${other}`);
    expect(found).toContain("No run of this address.");
    expect(found).not.toContain(`href="${path}/runs/`);
  }
  const [, run = ""] = new RegExp(`${path}/runs/([0-9a-f-]{36})`).exec(await textOf(path)) ?? [];
  const runPage = await textOf(`${path}/runs/${run}`);
  expect(runPage).toContain("Entered by signed_up.");
  expect(runPage).toMatch(/<li id="step-0" class="here".*?<p>Wait 1 day<\/p>.*?<p>Waits until <time/s);
  expect(wordsOf(runPage)).not.toMatch(/\d{4}-\d\d-\d\dT/);
  expect(wordsOf(await textOf(path))).toMatch(/Wait 1 day Step 1 1.here 0.passed/);
  const again = async () => (await session.get(path, { "Sec-Fetch-Mode": "cors" })).text();
  expect(await again()).toMatch(/id="about-0" data-live="">Step 1 <strong>1.here/);
  await database.run("UPDATE automation_counts SET runs = 1000 WHERE workspace = ?1 AND step = 'entered'", [
    workspace.workspaceNumber,
  ]);
  // Each read would count them all.
  expect(await again()).not.toMatch(/about-0|1.here/);
  expect(wordsOf(await textOf(path))).toMatch(/1.here/);
  expect(await locationOf(`${path}/pause`)).toBe(`${path}?done=paused`);
  expect(wordsOf(await textOf(`${path}/runs/${run}`))).toContain("It stays here while the automation is paused.");
  expect(await locationOf(`${path}/runs/${run}/delete`)).toBe(`${path}/runs/${run}`);
  expect(await textOf(`${path}/runs/${run}`)).toContain("Taken out by");
  expect(await locationOf(`${path}/archive`)).toBe(`${path}?done=archived`);
  expect((await send(`${path}/activate`)).status).toBe(409);
});

it("the card of an email has its figures by version, and compares the click rates of the newest two", async () => {
  const id = await create("Versions");
  const path = `/app/automations/${id}`;
  const email = (subject: string) => ({
    steps: [{ kind: "send_email", mailbox_id: workspace.mailboxId, subject, text: "T" }],
  });
  await workspace.call("PATCH", `/v1/automations/${id}`, email("One"));
  await send(`${path}/activate`);
  await markEntered(workspace);
  await workspace.call("PATCH", `/v1/automations/${id}`, email("Two"));
  expect(wordsOf(await textOf(path))).toMatch(/Step 1 0.here 0.passed Add/);
  await database.run(
    `INSERT INTO broadcast_counts (broadcast, variant, workspace, queued, attempted, delivered, failed, opened, clicked, unsubscribed)
     SELECT n, 0, workspace, 1010, 1010, 1000, 10, 500, iif(subject = 'One', 100, 300), 2 FROM broadcasts WHERE workspace = ?1`,
    [workspace.workspaceNumber],
  );
  const words = wordsOf(await textOf(path)).replaceAll("\u00a0", " ");
  expect(words).toContain("Version 2: 1,000 sent, 1,000 delivered, 500 opened, 300 clicked (30.0 %), 2 unsubscribed");
  expect(words).toContain("Version 1: 1,000 sent, 1,000 delivered, 500 opened, 100 clicked (10.0 %), 2 unsubscribed");
  expect(words).toMatch(
    /Version 2 gets more clicks: version 2 differs from 1 by \+16\.\d to \+23\.\d points of the click rate/,
  );
});

it("an activation that is refused names the step", async () => {
  const id = await create("Refused");
  const missing = crypto.randomUUID();
  await workspace.call("PATCH", `/v1/automations/${id}`, { steps: [{ kind: "webhook", webhook_id: missing }] });
  const response = await send(`/app/automations/${id}/activate`);
  expect([response.status, await response.text()]).toEqual([422, expect.stringContaining("Step 1 names a webhook")]);
  const send_email = { kind: "send_email", mailbox_id: missing, subject: "S", text: "T" };
  const when = { any: [gold, { list: missing }] };
  const branch = { kind: "branch", when, then_steps: [{ kind: "end" }, send_email], else_steps: [] };
  const trigger = { event: "signed_up", filter: { segment: missing } };
  await workspace.call("PATCH", `/v1/automations/${id}`, { trigger, steps: [{ kind: "end" }, branch] });
  const page = await (await send(`/app/automations/${id}/activate`)).text();
  const shown = /<li id="step-1\.then_steps\.1".*?<p class="error">([^<]*)/s.exec(page)?.[1];
  expect(shown).toContain("Step 2, then 2 names a mailbox");
  expect(/<li id="step-1" .*?<p class="error">([^<]*)/s.exec(page)?.[1]).toContain(
    "A condition of step 2 names a list",
  );
  expect(/<li id="trigger".*?<p class="error">([^<]*)/s.exec(page)?.[1]).toContain("A condition names a segment");
  for (const place of ["step-1.then_steps.1", "step-1", "trigger"]) expect(page).toContain(`href="#${place}"`);
  expect(page).not.toContain('href="#step-0"');
});

it("steps are counted from 1 in words, and no page has a path of the API as a word", async () => {
  const id = await create("Words");
  const path = `/app/automations/${id}`;
  const inner = { kind: "split", percent: 99, then_steps: [], else_steps: [{ kind: "wait", for: { days: 1 } }] };
  const branch = { kind: "branch", when: { field: "plan", is: "exists" }, then_steps: [], else_steps: [inner] };
  const email = { kind: "send_email", mailbox_id: workspace.mailboxId, subject: "S", text: "T" };
  const wait = { kind: "wait_for_event", event: "paid", limit: { days: 1 }, then_steps: [], else_steps: [] };
  const steps = [email, { ...branch, then_steps: [wait] }];
  await workspace.call("PATCH", `/v1/automations/${id}`, { trigger: { event: "came_in" }, steps });
  await send(`${path}/activate`);
  await aList(workspace, [{ email: "words@example.org", metadata: { plan: "gold" } }]);
  await anEvent(workspace, "words@example.org", { name: "came_in" });
  await until(
    () => runAutomations(testContext()),
    (hasRun) => hasRun,
  );
  const shown = await textOf(path);
  const [run = ""] = new RegExp(`${path}/runs/[0-9a-f-]{36}`).exec(shown) ?? [];
  await send(`${path}/pause`);
  await workspace.call("PATCH", `/v1/automations/${id}`, {
    steps: [...steps, { ...branch, else_steps: [{ kind: "webhook", webhook_id: crypto.randomUUID() }] }],
  });
  const tried = await send(`${path}/dry-run`, { email: "words@example.org", data: "{}", events: "" });
  const refused = await send(`${path}/activate`);
  const pages = [shown, await textOf(run), await tried.text(), await refused.text()].map(wordsOf);
  for (const page of pages) expect(page).not.toMatch(/\b(?:then|else)_steps\b|\bsteps? 0\b/i);
  expect(pages[0]).toContain("Step 2, else 1, else 1");
  expect(pages[0]).toContain("Add a step before step 2, then 1");
  expect(pages[0]).toMatch(/words@example\.org Inside 2, then 1 /);
  expect(pages[1]).toContain("Step 2, then 1 ");
  expect(pages[2]).toMatch(/ 2, then 1 Waits /);
  expect(pages[3]).toContain("Step 3, else 1 names a webhook");
});

it("an automation is tried for one person on its page, which sends nothing and keeps what was entered", async () => {
  const id = await create("Dry run");
  const path = `/app/automations/${id}`;
  const gold = { kind: "send_email", mailbox_id: workspace.mailboxId, subject: "For gold", text: "Hello" };
  const when = { event: "plan", is: "equals", value: "gold" };
  const branch = { kind: "branch", when, then_steps: [gold], else_steps: [] };
  await workspace.call("PATCH", `/v1/automations/${id}`, { steps: [branch] });
  await aList(workspace, [{ email: "dry@example.org" }]);
  expect(await textOf(path)).toContain(`${path}/dry-run`);
  const tryIt = (form: Record<string, string>) => send(`${path}/dry-run`, form);
  const taken = await tryIt({ email: "dry@example.org", data: '{"plan":"gold"}', events: "" });
  expect(taken.status).toBe(200);
  expect(await taken.text()).toMatch(/<li id="step-0\.then_steps\.0" class="passed".*?Step 1, then 1 <time/s);
  const other = await (await tryIt({ email: "dry@example.org", data: "{}", events: "" })).text();
  expect(other).toMatch(/<li id="step-0\.then_steps\.0" tabindex/);
  const refused = await tryIt({ email: "unknown@example.org", data: '{"plan":"kept"}', events: "" });
  const text = await refused.text();
  expect(refused.status).toBe(422);
  expect(text).toContain("No contact of the workspace has this address");
  expect(text).toContain("kept");
  expect((await tryIt({ email: "dry@example.org", data: "{no json", events: "" })).status).toBe(422);
  const runs = await workspace.get(`/v1/automations/${id}/runs`);
  expect(await runs.json()).toEqual([]);
});

describe("changes of nested steps", () => {
  const notify = (message: string): Step => ({ kind: "notify", message });
  const split: Step = { kind: "split", percent: 50, then_steps: [notify("a"), notify("b")], else_steps: [] };
  const steps = [notify("0"), split];

  it("insert, replace, remove and move by path, and leave the others as they are", () => {
    expect(insertStep(steps, "1.then_steps.1", notify("x"))).toEqual([
      notify("0"),
      { ...split, then_steps: [notify("a"), notify("x"), notify("b")] },
    ]);
    expect(removeStep(steps, "0")).toEqual([split]);
    expect(moveStep(steps, "1.then_steps.0", 1)).toEqual([
      notify("0"),
      { ...split, then_steps: [notify("b"), notify("a")] },
    ]);
    expect(moveStep(steps, "0", -1)).toEqual(steps);
    const other: Step = { kind: "branch", when: { field: "a", is: "exists" }, then_steps: [], else_steps: [] };
    expect(replaceStep(steps, "1", other)).toEqual([notify("0"), { ...other, then_steps: split.then_steps }]);
  });

  it.each(["", "x", "9", "0.then_steps.0", "1.other.0", "1.then_steps", "1.then_steps.9", "__proto__"])(
    "a path that leads nowhere changes nothing: %s",
    (path) => {
      expect(insertStep(steps, path, notify("x"))).toBeNull();
    },
  );
});
