import { describe, expect, it } from "vitest";
import { aSession, outdateProof } from "../../support/sessions.ts";
import { aMagicLink, browser, codeOf, systemEmails } from "../../support/sign-ins.ts";
import { aMember, aWorkspace, type TestWorkspace, until } from "../../support/workspace.ts";
import { submit } from "../../web/dashboard/support.ts";

type Call = (api: Pick<TestWorkspace, "call" | "post">, workspace: TestWorkspace) => Promise<Response>;

/** The calls that take a proof, beside the deletion of an account and the force transfer. */
const calls: Record<string, Call> = {
  "a key with *": (api) => api.post("/v1/api-keys/", { name: "All", scopes: ["*"] }),
  "a key without scopes, which has those of its maker": (api) => api.post("/v1/api-keys/", { name: "All" }),
  "the rotation of a key with *": async (api, workspace) => {
    const { id } = await (await workspace.post("/v1/api-keys/", { name: "Old" })).json<{ id: string }>();
    return api.post(`/v1/api-keys/${id}/rotate`, undefined);
  },
  "an owner": async (api, workspace) => {
    const { userId } = await aMember(workspace, "member");
    return api.call("PATCH", `/v1/workspaces/${workspace.workspaceId}/members/${userId}`, { role: "owner" });
  },
  "the deletion of a workspace": (api, workspace) => api.call("DELETE", `/v1/workspaces/${workspace.workspaceId}`),
};

describe("a proof of identity of the last five minutes", () => {
  for (const [name, call] of Object.entries(calls))
    it(`is needed by a session for ${name}, and a sign-in counts; an API key needs none`, async () => {
      const [workspace, ofKey] = [await aWorkspace(), await aWorkspace()];
      const session = await aSession(workspace);
      await outdateProof(workspace);
      const refused = await call(session, workspace);
      expect([refused.status, await refused.json()]).toMatchObject([403, { code: "reauthentication_required" }]);
      const fresh = await aSession(workspace);
      expect((await call(fresh, workspace)).status).toBeLessThan(300);
      if (!name.includes("rotation")) expect((await call(ofKey, ofKey)).status).toBeLessThan(300);
    });

  it("is needed by a session that invites an owner", async () => {
    const workspace = await aWorkspace();
    const session = await aSession(workspace);
    await outdateProof(workspace);
    const path = `/v1/workspaces/${workspace.workspaceId}/invitations`;
    const refused = await session.post(path, { email: "ada@example.org", role: "owner" });
    expect([refused.status, await refused.json()]).toMatchObject([403, { code: "reauthentication_required" }]);
  });

  it("is not needed for a key with some scopes, nor for an admin", async () => {
    const workspace = await aWorkspace();
    const session = await aSession(workspace);
    await outdateProof(workspace);
    const { userId } = await aMember(workspace, "member");
    const member = `/v1/workspaces/${workspace.workspaceId}/members/${userId}`;
    expect((await session.post("/v1/api-keys/", { name: "Sends", scopes: ["emails:send"] })).status).toBe(201);
    expect((await session.call("PATCH", member, { role: "admin" })).status).toBe(200);
  });
});

describe("the page that proves an identity", () => {
  it("emails a link, and the form that needed the proof is kept and sent again", async () => {
    const [sender, workspace] = [await aWorkspace(), await aWorkspace()];
    const page = browser({ SYSTEM_MAILBOX: sender.mailbox });
    await page.post(await aMagicLink(`owner@${workspace.domain}`));
    await outdateProof(workspace);
    const form = { name: "All of it", access: "full", days: "", idempotency_key: crypto.randomUUID() };
    const refused = await page.post("/app/api-keys", form);
    const kept = await refused.text();
    expect([refused.status, kept.includes("Prove that it is you"), kept.includes('value="All of it"')]).toEqual([
      403,
      true,
      true,
    ]);
    expect((await page.post("/app/security/proof/link")).headers.get("Location")).toBe("/app/security/proof?done=sent");
    const [content = ""] = await until(
      () => systemEmails(sender, 1),
      (found) => found.length === 1,
    );
    const [path = "", token = ""] = /\/app\/security\/proof\?proof=([\w-]+)/.exec(content) ?? [];
    expect(await (await page.get(path)).text()).toContain("You have opened the link");
    expect((await page.post("/app/security/proof", { token: "wrong" })).status).toBe(422);
    const proven = await page.post("/app/security/proof", { token });
    expect(proven.headers.get("Location")).toBe("/app/security?done=proven");
    expect(await (await page.post("/app/api-keys", form)).text()).toContain("Your new API key");
  });

  it("asks for a code while two-factor authentication is on", async () => {
    const workspace = await aWorkspace();
    const session = await aSession(workspace);
    expect(await (await session.get("/app/security/proof")).text()).toContain("Send the link");
    const { secret } = await (await session.post("/v1/auth/totp/setup", undefined)).json<{ secret: string }>();
    expect((await session.post("/v1/auth/totp/enable", { code: await codeOf(secret, -1) })).status).toBe(200);
    const wrong = await submit(session, "/app/security/proof", { code: "000000" });
    expect([wrong.status, await wrong.text()]).toEqual([422, expect.stringContaining("The code is wrong")]);
  });
});
