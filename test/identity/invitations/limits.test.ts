import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { InvitationOut, SentInvitationOut } from "../../../src/identity/invitations/schema.ts";
import { openLinks } from "../../../src/lib/sealed-links.ts";
import { budgetOf } from "../../../src/platform/budgets/spent.ts";
import { database } from "../../support/databases.ts";
import { insertInvitation } from "../../support/invitations.ts";
import { aSession } from "../../support/sessions.ts";
import { browser, systemEmails } from "../../support/sign-ins.ts";
import { apiOn, aWorkspace, discardingQueue, perSuite, perTest, testContext } from "../../support/workspace.ts";
import { submit } from "../../web/dashboard/support.ts";

const HOUR = 3_600_000;
const sender = perSuite(aWorkspace);
const workspace = perTest(aWorkspace);

afterEach(() => {
  vi.useRealTimers();
});

const anAddress = () => `${crypto.randomUUID()}@example.org`;
const path = (of = workspace) => `/v1/workspaces/${of.workspaceId}/invitations`;
const invite = (email: string, { role = "member", of = workspace, mailbox = sender.mailbox } = {}) =>
  apiOn({ SYSTEM_MAILBOX: mailbox, WORK: discardingQueue }, of.apiKey).post(path(of), { email, role });
async function isSent(response: Response): Promise<boolean> {
  expect(response.status, await response.clone().text()).toBe(201);
  return (await response.json<SentInvitationOut>()).email_sent;
}

/** Returns the emails of the service to an address, newest first, with the tokens in their links. */
async function mailsTo(email: string) {
  const list = await (await sender.get("/v1/emails/?limit=100")).json<{ id: string; to_addresses: string[] }[]>();
  return Promise.all(
    list
      .filter(({ to_addresses }) => to_addresses.includes(email))
      .map(async ({ id }) => {
        const mail = await (await sender.get(`/v1/emails/${id}`)).json<{ subject: string; text_body: string }>();
        const text = await openLinks(testContext().settings.masterKeys, mail.text_body);
        return { subject: mail.subject, token: /\/invitations\/([\w-]{43})\n/.exec(text)?.[1] ?? "" };
      }),
  );
}

/** Sets the clock forward from now. */
const after = (ms: number) => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });

it("the subject of an invitation does not name the workspace, which anyone names", async () => {
  const email = anAddress();
  await database.run("UPDATE workspaces SET name = 'You have won' WHERE number = ?1", [workspace.workspaceNumber]);
  expect(await isSent(await invite(email))).toBe(true);
  expect(await mailsTo(email)).toMatchObject([{ subject: `You are invited to ${testContext().settings.serviceName}` }]);
});

it("a workspace makes 20 invitations in an hour, also to one address", async () => {
  const statuses = await Promise.all(Array.from({ length: 12 }, async () => (await invite(anAddress())).status));
  expect(new Set(statuses)).toEqual(new Set([201]));
  const again = anAddress();
  for (let n = 0; n < 8; n++) expect((await invite(again)).status).toBe(201);
  const refused = await invite(again);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(3_000);
  expect(refused.headers.get("RateLimit-Policy")).toBe('"invitations";q=20;w=3600');
  expect((await refused.json<{ detail: string }>()).detail).toContain(
    "The limit is 20 invitations per workspace and hour",
  );
  after(HOUR + 1_000);
  expect((await invite(again)).status).toBe(201);
});

describe("open invitations", () => {
  const open = (count: number, of = workspace) =>
    Promise.all(Array.from({ length: count }, () => insertInvitation(of, { email: anAddress() })));

  it("are at most 50 in a workspace, also by two calls at once", async () => {
    await open(budgetOf("invitations").rows - 1);
    const responses = await Promise.all([invite(anAddress()), invite(anAddress())]);
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 409]);
    const address = anAddress();
    const refused = await invite(address);
    expect([refused.status, await refused.json()]).toEqual([
      409,
      { detail: "The workspace has 50 open invitations, which is the limit; withdraw one first" },
    ]);
    expect(await mailsTo(address)).toEqual([]);
  });

  it("do not include expired ones, and one that is replaced counts once", async () => {
    await open(budgetOf("invitations").rows);
    const { email } = (await (await workspace.get(path())).json<InvitationOut[]>())[0] ?? { email: "" };
    expect((await invite(email)).status).toBe(201);
    expect((await invite(anAddress())).status).toBe(409);
    const expire = env.DB.prepare("UPDATE invitations SET expires_at = 1 WHERE workspace = ?1 AND email_key <> ?2");
    await expire.bind(workspace.workspaceNumber, email).run();
    expect((await invite(anAddress())).status).toBe(201);
  });
});

describe("an address", () => {
  it("gets one email a day from a workspace, whose link opens what replaces the invitation", async () => {
    const home = await aWorkspace();
    const email = `owner@${home.domain}`;
    expect(await isSent(await invite(email))).toBe(true);
    expect(await isSent(await invite(email.toUpperCase(), { role: "admin" }))).toBe(false);
    const [mailed, ...others] = await mailsTo(email);
    expect(others).toEqual([]);
    expect(await (await workspace.get(path())).json()).toMatchObject([{ role: "admin" }]);
    after(24 * HOUR + 1_000);
    expect(await isSent(await invite(email, { role: "member" }))).toBe(true);
    const session = await aSession(home);
    const accept = (token = "") => session.post(`/v1/invitations/${token}/accept`, undefined);
    // A link is replaced by that of the next email.
    expect((await accept(mailed?.token)).status).toBe(404);
    expect(await isSent(await invite(email, { role: "admin" }))).toBe(false);
    const accepted = await accept((await mailsTo(email))[0]?.token);
    expect([accepted.status, await accepted.json()]).toMatchObject([200, { role: "admin" }]);
  });

  it("gets ten emails a day from all workspaces, and its user sees and accepts later invitations after sign-in", async () => {
    const home = await aWorkspace();
    const email = `owner@${home.domain}`;
    const others = await Promise.all(Array.from({ length: 10 }, () => aWorkspace()));
    for (const of of others) expect(await isSent(await invite(email, { of }))).toBe(true);
    expect(await isSent(await invite(email))).toBe(false);
    expect(await mailsTo(email)).toHaveLength(10);

    const [{ id }] = (await (await workspace.get(path())).json()) as [InvitationOut];
    const action = `/app/invitations/${id}/accept`;
    const session = await aSession(home);
    expect(await (await session.get("/app")).text()).toContain(`action="${action}"`);
    const stranger = await aSession(await aWorkspace());
    expect(await (await stranger.get("/app")).text()).not.toContain(action);
    expect((await submit(stranger, action)).status).toBe(404);
    const accepted = await submit(session, action);
    expect([accepted.status, accepted.headers.get("Location")]).toEqual([303, "/app?done=joined"]);
    expect(await (await session.get("/app?done=joined")).text()).not.toContain(action);
    expect((await submit(session, action)).status).toBe(404);
    expect((await session.post("/auth/workspace", { org_id: workspace.workspaceId })).status).toBe(200);
  });

  it("without an account gets a link to its newest invitation when it asks to sign in, and others get none", async () => {
    const email = anAddress();
    expect(await isSent(await invite(email))).toBe(true);
    const withdrawn = (await (await workspace.get(path())).json<InvitationOut[]>())[0]?.id;
    expect((await workspace.call("DELETE", `${path()}/${withdrawn}`)).status).toBe(204);
    expect(await isSent(await invite(email))).toBe(false);
    const mailbox = await aWorkspace();
    const visitor = browser({ SYSTEM_MAILBOX: mailbox.mailbox });
    const stranger = anAddress();
    for (const address of [stranger, email]) await visitor.post("/auth/magic-link", { email: address });
    // One email: the stranger got none.
    const [content = ""] = await systemEmails(mailbox, 1);
    expect(content).not.toContain(stranger);
    const link = /\/invitations\/[\w-]{43}/.exec(content)?.[0] ?? "";
    expect(await (await visitor.get(link)).text()).toContain(`Join as ${email}`);
    expect((await visitor.post(link)).status).toBe(303);
    expect(await (await visitor.get("/v1/me")).json()).toMatchObject({
      user: { email },
      workspace: { id: workspace.workspaceId },
    });
  });

  it("is still owed an email that the service could not send", async () => {
    const email = anAddress();
    expect((await invite(email, { mailbox: "" })).status).toBe(503);
    expect(await isSent(await invite(email))).toBe(true);
  });
});
