import { beforeEach, expect, it } from "vitest";
import { aRawMessage, deliver } from "../../mailboxes/inbound/support.ts";
import { aKey, aMember, apiOn, aWorkspace, perTest } from "../../support/workspace.ts";
import { aReceiver, forgetDue, LOCAL, webhooksOf } from "./support.ts";

/** Webhooks of received mail are for those who may open every mailbox (docs/contract/webhooks.md#received-mail). */

const workspace = perTest(aWorkspace);
const EVENTS = ["email.received", "email.bounced"];

beforeEach(async () => void (await forgetDue()));

const withScopes = async (...scopes: string[]) => apiOn(LOCAL, await aKey(workspace, { scopes }));

it("refuses to create one without inbox:read, and says so", async () => {
  const body = { url: aReceiver().url, events: EVENTS };
  const manages = await withScopes("webhooks:manage");
  const refused = await manages.post("/v1/webhooks/", body);
  expect([refused.status, await refused.json()]).toEqual([
    403,
    expect.objectContaining({ detail: "Missing scope: inbox:read" }),
  ]);
  expect((await manages.post("/v1/webhooks/", { ...body, events: ["email.bounced"] })).status).toBe(201);
  const reads = await withScopes("webhooks:manage", "inbox:read");
  expect((await reads.post("/v1/webhooks/", body)).status).toBe(201);
});

it("refuses to subscribe, move, resume or sign anew one without inbox:read, and permits to pause it or to end the subscription", async () => {
  const { id } = await webhooksOf(workspace).create(aReceiver().url, EVENTS);
  const { id: other } = await webhooksOf(workspace).create(aReceiver().url, ["email.bounced"]);
  const manages = await withScopes("webhooks:manage");
  const patch = async (webhook: string, changes: object) =>
    (await manages.call("PATCH", `/v1/webhooks/${webhook}`, changes)).status;
  expect(await patch(other, { events: EVENTS })).toBe(403);
  expect(await patch(id, { url: aReceiver().url })).toBe(403);
  expect(await patch(id, { rotate_secret: true })).toBe(403);
  expect(await patch(id, { is_active: false, url: aReceiver().url })).toBe(403);
  expect(await patch(id, { is_active: false })).toBe(200);
  expect(await patch(id, { is_active: true })).toBe(403);
  expect(await patch(id, { events: ["email.bounced"] })).toBe(200);
});

it("shows its deliveries, with sender and subject, to owners and admins who may read mail only", async () => {
  const api = webhooksOf(workspace);
  const { id } = await api.create(aReceiver().url, EVENTS);
  await deliver(workspace.mailbox, aRawMessage({ Subject: "Private" }), { bindings: LOCAL });
  const [item] = (await api.deliveries(id)).items;
  const path = `/v1/webhook-deliveries/${item?.id}`;
  expect((await api.delivery(String(item?.id))).payload.metadata.subject).toBe("Private");
  const replay = `/v1/webhooks/${id}/deliveries/${item?.id}/replay`;
  const [member, manages] = [await aMember(workspace, "member"), await withScopes("webhooks:manage", "webhooks:view")];
  for (const other of [member, manages]) expect((await other.get(path)).status).toBe(403);
  expect((await manages.post(replay, undefined)).status).toBe(403);
});
