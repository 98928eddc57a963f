import { expect, it } from "vitest";
import { aList, anEvent } from "../../audience/automations/support.ts";
import { aSession } from "../../support/sessions.ts";
import { aWorkspace, perSuite } from "../../support/workspace.ts";
import { submit } from "./support.ts";

/** Names that the forms of automations offer, and events that are the same as others. */

const workspace = perSuite(aWorkspace);
const session = perSuite(() => aSession(workspace));
const textOf = async (path: string) => (await session.get(path)).text();
const locationOf = async (path: string, form: Record<string, string>) =>
  (await submit(session, path, form)).headers.get("Location");
const create = async (name: string) =>
  (await workspace.create("/v1/automations/", { name, trigger: { event: "signed_up" } })).id;

it("the form of a step offers the fields and events that the workspace has, and those of the service", async () => {
  const list = await aList(workspace, []);
  await workspace.post(`/v1/contacts/${list}/contacts`, { email: "known@a.example", metadata: { "shoe size": 42 } });
  await anEvent(workspace, "known@a.example", { name: "cart.left" });
  const page = await textOf(`/app/automations/${await create("Offers")}/steps/new?at=0&kind=wait_for_event`);
  expect(page).toMatch(/<datalist id="known-fields">.*<option value="shoe size"/);
  expect(page).toMatch(/<datalist id="known-events">.*<option value="cart.left".*<option value="topic.subscribed"/);
  expect(page).toMatch(/<input[^>]* name="event"[^>]* list="known-events"/);
});

it("the list of automations folds the archived ones", async () => {
  const id = await create("A series of last year");
  await workspace.post(`/v1/automations/${id}/archive`, {});
  const [current, folded] = (await textOf("/app/automations")).split("<summary>Archived</summary>");
  expect(current).not.toContain("A series of last year");
  expect(folded).toContain("A series of last year");
});

it("a wait is for the event with the same value as the one before, which only an event can have", async () => {
  const path = `/app/automations/${await create("Same order")}`;
  const same = { "filter.kind": "all", "filter.0.kind": "event", "filter.0.event": "order_id", "filter.0.is": "same" };
  const wait = { kind: "wait_for_event", event: "order.paid", count: "1", unit: "days", ...same };
  expect(await locationOf(`${path}/steps/new?at=0`, wait)).toBe(`${path}?done=saved#step-0`);
  expect(await textOf(path)).toContain("order_id of the event is the same as in the event before");
  const filter = { field: "plan", is: "same" };
  const steps = [{ kind: "wait_for_event", event: "a", filter, limit: { days: 1 }, then_steps: [], else_steps: [] }];
  const refused = await workspace.call("PATCH", `/v1/automations/${path.split("/")[3]}`, { steps });
  expect(refused.status).toBe(422);
});
