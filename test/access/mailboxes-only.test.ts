/** A member that sees only its mailboxes (docs/contract/workspaces.md#members-of-mailboxes): what each door shows it, and what it does not. */
import { beforeEach, describe, expect, it } from "vitest";
import { isServiceScope, type RequiredScope } from "../../src/access/accounts/scopes.ts";
import { aGrant } from "../support/oauth.ts";
import { callRoute, mountedRoutes, routeScopes } from "../support/route-tests.ts";
import { aSession } from "../support/sessions.ts";
import { aGateway } from "../support/submissions.ts";
import { aKey, aMember, apiWith, aWorkspace, perTest } from "../support/workspace.ts";
import { connected } from "../web/mcp/support.ts";

const HELD: readonly RequiredScope[] = ["mailboxes:view", "inbox:read", "inbox:write", "any", "session", "public"];

/** Pages about the person itself and its mailboxes, and those of a link that somebody got. */
const OWN =
  /^(?:\/app(?:$|\/(?:search|mailboxes|security|grants|workspaces\/new|invitations|example)\b)|\/mail\b|\/docs\/try\b|\/domain-transfers\/|\/oauth\/)/;
/** Routes of administrators of the platform, and of programs of the service. */
const isOfOthers = (need: RequiredScope, path: string) =>
  isServiceScope(need) || need === "platform_admin" || path.startsWith("/app/admin/") || path.startsWith("/metrics");

const workspace = perTest(aWorkspace);
const person = { userId: "" };
let other = "";

const membersPath = () => `/v1/workspaces/${workspace.workspaceId}/members/${person.userId}`;
const setOnly = (mailboxes_only: boolean) => workspace.call("PATCH", membersPath(), { role: "member", mailboxes_only });

beforeEach(async () => {
  person.userId = (await aMember(workspace, "member")).userId;
  const domain_id = workspace.domainId;
  other = (await workspace.create<{ id: string }>("/v1/mailboxes/", { domain_id, local_part: "boss" })).id;
  await workspace.call("PUT", `/v1/mailboxes/${workspace.mailboxId}/assignees`, { user_ids: [person.userId] });
  expect(await (await setOnly(true)).json()).toMatchObject({ role: "member", mailboxes_only: true });
});

const session = () => aSession({ ...workspace, userId: person.userId });
const key = async () => apiWith(await aKey({ ...workspace, userId: person.userId }));

describe("a member that sees only its mailboxes", () => {
  it("is refused by each route of the API and each page that is of something else", async () => {
    const open: string[] = [];
    let refused = 0;
    const credentials = { page: await session(), api: await key() };
    for (const route of mountedRoutes()) {
      const need = routeScopes[route] ?? "public";
      const path = route.split(" ")[1] ?? "";
      if (HELD.includes(need) || OWN.test(path) || isOfOthers(need, path)) continue;
      const response = await callRoute(need === "page" ? credentials.page : credentials.api, route, {}, {});
      if (response.status === 403) refused += 1;
      else open.push(`${route}: ${response.status} ${response.headers.get("Location") ?? ""}`);
      await response.body?.cancel();
    }
    expect(open).toEqual([]);
    expect(refused).toBeGreaterThan(300);
  });

  it("finds its own mailboxes and no others, by the API, pages, webmail and MCP", async () => {
    const [page, api] = [await session(), await key()];
    const own = [expect.objectContaining({ id: workspace.mailboxId })];
    expect(await (await api.get("/v1/mailboxes/")).json()).toEqual(own);
    for (const caller of [page, api])
      for (const [id, status] of [
        [workspace.mailboxId, 200],
        [other, 404],
      ]) {
        expect((await caller.get(`/v1/mailboxes/${id}`)).status).toBe(status);
        expect((await caller.get(`/v1/mailboxes/${id}/aliases`)).status).toBe(status);
        expect((await caller.get(`/v1/inbox/${id}/messages`)).status).toBe(id === other ? 403 : 200);
      }
    expect((await page.get("/app")).headers.get("Location")).toBe("/mail");
    const list = await (await page.get("/mail")).text();
    expect([list.includes(workspace.mailboxId), list.includes(other)]).toEqual([true, false]);
    expect((await page.get(`/mail/${other}/INBOX`)).status).toBe(403);
    expect(await (await page.get("/app/mailboxes")).text()).not.toContain(other);
    const grant = await aGrant({ ...workspace, userId: person.userId }, { scopes: ["inbox:read", "emails:view"] });
    expect((await grant.get(`/v1/inbox/${workspace.mailboxId}/messages`)).status).toBe(200);
    expect((await grant.get("/v1/emails/")).status).toBe(403);
    const client = await connected(await aKey({ ...workspace, userId: person.userId }));
    const found = await client.callTool({ name: "list_mailboxes", arguments: {} });
    expect(JSON.stringify(found)).not.toContain(other);
    await expect(client.callTool({ name: "search_emails", arguments: {} })).rejects.toThrow(
      "Missing scope: emails:view",
    );
  });

  it("answers from its mailbox, and sends nothing in another way", async () => {
    const api = await key();
    const text = { to: ["friend@example.org"], text: "Hello" };
    expect((await api.post(`/v1/inbox/${workspace.mailboxId}/send`, text)).status).toBe(202);
    expect((await api.post(`/v1/inbox/${other}/send`, text)).status).toBe(403);
    const mail = {
      from_: { email: workspace.mailbox },
      to: [{ email: "friend@example.org" }],
      subject: "a",
      text: "a",
    };
    expect((await api.post("/v1/emails/", mail)).status).toBe(403);
  });

  it("has no SMTP credential any more that it made as an admin", async () => {
    const gateway = aGateway();
    const admin = await aMember(workspace, "admin");
    const made = await admin.post("/v1/smtp-credentials/", { domain_id: workspace.domainId });
    const { username, password } = await made.json<{ username: string; password: string }>();
    expect((await gateway.login({ username, password })).reply).toBeNull();
    const path = `/v1/workspaces/${workspace.workspaceId}/members/${admin.userId}`;
    await workspace.call("PATCH", path, { role: "member", mailboxes_only: true });
    expect((await gateway.login({ username, password })).reply).not.toBeNull();
  });

  it("stays one when its role is set without a word about it, and is none with another role or by the word", async () => {
    expect(await (await workspace.call("PATCH", membersPath(), { role: "member" })).json()).toMatchObject({
      mailboxes_only: true,
    });
    expect((await workspace.call("PATCH", membersPath(), { role: "admin", mailboxes_only: true })).status).toBe(422);
    expect(await (await workspace.call("PATCH", membersPath(), { role: "admin" })).json()).toMatchObject({
      mailboxes_only: false,
    });
    expect(await (await workspace.call("PATCH", membersPath(), { role: "member" })).json()).toMatchObject({
      mailboxes_only: false,
    });
    await setOnly(true);
    expect(await (await setOnly(false)).json()).toMatchObject({ role: "member", mailboxes_only: false });
    expect((await (await key()).get("/v1/emails/")).status).toBe(200);
  });

  it("cannot lift its own restriction, nor make keys, invitations or grants with more", async () => {
    const [page, api] = [await session(), await key()];
    for (const caller of [page, api]) {
      expect((await caller.call("PATCH", membersPath(), { role: "member", mailboxes_only: false })).status).toBe(403);
      expect((await caller.post("/v1/api-keys/", { name: "More", scopes: ["*"] })).status).toBe(403);
    }
  });
});
