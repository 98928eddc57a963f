import { beforeAll, describe, expect, it } from "vitest";
import type { Step } from "../../../src/audience/automations/index.ts";
import { runAutomations } from "../../../src/audience/automations/index.ts";
import {
  insertStep,
  moveStep,
  removeStep,
  replaceStep,
  stepAt,
} from "../../../src/web/dashboard/automations/edit-steps.ts";
import { aList, anEvent } from "../../audience/automations/support.ts";
import { aSession } from "../../support/sessions.ts";
import { aWorkspace, type TestWorkspace, testContext, until } from "../../support/workspace.ts";
import { submit } from "./support.ts";

/** The pages of automations: their forms do what the API does. */

type Session = Awaited<ReturnType<typeof aSession>>;

let workspace: TestWorkspace;
let session: Session;

beforeAll(async () => {
  workspace = await aWorkspace();
  session = await aSession(workspace);
});

const textOf = async (path: string) => (await session.get(path)).text();
const send = (path: string, form: Record<string, string> = {}) => submit(session, path, form);
const locationOf = async (path: string, form: Record<string, string> = {}) =>
  (await send(path, form)).headers.get("Location");
const read = async (id: string) =>
  (await workspace.get(`/v1/automations/${id}`)).json<{ status: string; steps: Step[]; name: string; entry: object }>();

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
  expect(await textOf(`${path}/steps/new?at=0`)).toContain("Wait for an event");
  const save = (at: string, form: Record<string, string>) => locationOf(`${path}/steps/new?at=${at}`, form);
  await save("0", { kind: "wait", count: "2", unit: "hours" });
  await save("1", { kind: "branch", when: '{"field":"plan","is":"equals","value":"gold"}' });
  await save("1.then_steps.0", { kind: "send_email", mailbox_id: workspace.mailboxId, subject: "Gold", text: "Hello" });
  await save("1.else_steps.0", { kind: "notify", message: "No gold" });
  await save("0", { kind: "set_field", field: "stage", value: "new" });
  await send(`${path}/steps/1/down`);
  const { steps } = await read(id);
  expect(steps.map(({ kind }) => kind)).toEqual(["set_field", "branch", "wait"]);
  expect(stepAt(steps, "1.then_steps.0")).toMatchObject({ kind: "send_email", subject: "Gold" });
  const page = await textOf(path);
  for (const text of [
    "Set stage to new",
    "If it holds",
    "Send “Gold” from",
    "Notify the team: No gold",
    "Wait 2 hours",
  ])
    expect(page).toContain(text);
  expect(await textOf(`${path}/steps/2`)).toContain('value="2"');
  await send(`${path}/steps/2`, { kind: "wait", count: "3", unit: "days" });
  await send(`${path}/steps/1.else_steps.0/delete`);
  expect((await read(id)).steps[2]).toEqual({ kind: "wait", for: { days: 3 } });
  const settings = { name: "Hello", event: "signed_up", filter: "", entry: '{"mode":"every"}' };
  expect(await locationOf(`${path}/settings`, settings)).toBe(`${path}?done=saved`);
  expect(await read(id)).toMatchObject({ name: "Hello", entry: { mode: "every" } });
});

it("a form with a mistake is shown again with what was entered, and stores nothing", async () => {
  const id = await create("Mistakes");
  const path = `/app/automations/${id}`;
  const response = await send(`${path}/steps/new?at=0`, { kind: "wait", count: "-1", unit: "hours" });
  expect(response.status).toBe(422);
  expect(await response.text()).toContain('value="-1"');
  const condition = await send(`${path}/steps/new?at=0`, { kind: "branch", when: "{not json" });
  expect([condition.status, await condition.text()]).toEqual([422, expect.stringContaining("{not json")]);
  expect((await read(id)).steps).toEqual([]);
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
  expect(await textOf(`${path}/runs/${run}`)).toContain("Entered by signed_up.");
  expect(await locationOf(`${path}/pause`)).toBe(`${path}?done=paused`);
  expect(await locationOf(`${path}/runs/${run}/delete`)).toBe(`${path}/runs/${run}`);
  expect(await textOf(`${path}/runs/${run}`)).toContain("Taken out by");
  expect(await locationOf(`${path}/archive`)).toBe(`${path}?done=archived`);
  expect((await send(`${path}/activate`)).status).toBe(409);
});

it("an activation that is refused names the step", async () => {
  const id = await create("Refused");
  const missing = crypto.randomUUID();
  await workspace.call("PATCH", `/v1/automations/${id}`, { steps: [{ kind: "webhook", webhook_id: missing }] });
  const response = await send(`/app/automations/${id}/activate`);
  expect([response.status, await response.text()]).toEqual([422, expect.stringContaining("Step 0 names a webhook")]);
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
  expect([taken.status, await taken.text()]).toEqual([200, expect.stringContaining("For gold, ")]);
  const other = await (await tryIt({ email: "dry@example.org", data: "{}", events: "" })).text();
  expect(other).toContain("No email.");
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
