/** The daily limit of a workspace holds for every way to send. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { dailyLimitOf } from "../../../src/platform/rate-limits/daily-emails.ts";
import { sendSystemEmail } from "../../../src/sending/system-emails/index.ts";
import { aContactList, broadcastsOf } from "../../audience/broadcasts/support.ts";
import { messagesOf } from "../../sending/submissions/support.ts";
import { countingDb } from "../../support/counting-db.ts";
import { database } from "../../support/databases.ts";
import { aGateway, aSubmitter } from "../../support/submissions.ts";
import { aMail, apiOn, aWorkspace, discardingQueue, perTest, testContext } from "../../support/workspace.ts";
import { call, connected } from "../../web/mcp/support.ts";

const limitTo = (limit: number | null) =>
  database.run("UPDATE workspaces SET daily_limit = ?2 WHERE id = ?1", [workspace.workspaceId, limit]);
const count = () =>
  database.value<number>("SELECT count(*) AS emails FROM emails WHERE workspace = ?1", [workspace.workspaceNumber]);
const send = (headers?: Record<string, string>) => api.post("/v1/emails/", aMail(workspace), headers);

afterEach(() => void vi.useRealTimers());

const workspace = perTest(aWorkspace);
const api = perTest(() => workspace.withoutQueue);

describe("beyond the daily limit", () => {
  it("a send returns 429 with the limit, the count and the reset, and stores nothing", async () => {
    await limitTo(2);
    const now = Date.now();
    vi.useFakeTimers({ toFake: ["Date"], now });
    for (let n = 0; n < 2; n++) expect((await send()).status).toBe(202);
    const refused = await send();
    const reset = new Date(Math.ceil((now + 1) / 86_400_000) * 86_400_000).toISOString();
    expect([refused.status, await refused.json()]).toEqual([
      429,
      {
        detail: `The limit of this workspace is 2 emails a day, of which 2 were accepted today; it resets at ${reset}`,
      },
    ]);
    expect(refused.headers.get("RateLimit-Policy")).toBe('"daily-emails";q=2;w=86400');
    expect(Number(refused.headers.get("Retry-After"))).toBe(Math.ceil((Date.parse(reset) - now) / 1000));
    expect(await count()).toBe(2);
  });

  it("a large send leaves no object", async () => {
    await limitTo(1);
    await send();
    expect((await api.post("/v1/emails/", aMail(workspace, { text: "x".repeat(50_000) }))).status).toBe(429);
    const { objects } = await env.CONTENT.list({ prefix: `w/${workspace.workspaceId}/` });
    expect(objects).toEqual([]);
  });

  it("a batch is accepted as a whole or not at all", async () => {
    await limitTo(5);
    const batch = (emails: number) =>
      api.post(
        "/v1/emails/batch",
        Array.from({ length: emails }, () => aMail(workspace)),
      );
    expect((await batch(3)).status).toBe(202);
    expect((await batch(3)).status).toBe(429);
    expect((await batch(2)).status).toBe(202);
    expect(await count()).toBe(5);
  });

  it("messages by SMTP are refused for now, each by itself", async () => {
    await limitTo(3);
    const { token, gateway } = await aSubmitter(workspace, aGateway());
    const { message } = messagesOf(workspace);
    const group = ["a", "b", "c", "d"].map((name) => ({
      token,
      to: ["a@example.org"],
      text: message({ Subject: name }),
    }));
    const replies = await gateway.submitGroup(workspace.mailbox, group);
    const refused = replies.filter(({ reply }) => reply !== null);
    expect(refused).toHaveLength(1);
    expect(refused[0]?.reply).toMatch(/^451 4\.7\.1 The limit of this workspace is 3 emails a day/);
    expect(await count()).toBe(3);
  });

  it("mailboxes, tests of broadcasts, retries, the API of Resend and assistants are refused", async () => {
    const first = await (await send()).json<{ id: string }>();
    await database.run("UPDATE emails SET status = 'failed' WHERE id = ?1", [first.id]);
    const broadcasts = broadcastsOf(workspace);
    const contact_list_id = await aContactList(workspace, 1);
    const { id } = await broadcasts.create({ contact_list_id });
    const client = await connected(workspace.apiKey);
    await limitTo(2);
    expect((await send()).status).toBe(202);
    const to = ["friend@example.org"];
    const mail = { from: workspace.mailbox, to, subject: "A subject", text: "A text." };
    const refusals = await Promise.all([
      api.post(`/v1/inbox/${workspace.mailboxId}/send`, { to, subject: "A subject", text: "A text." }),
      api.post(`/v1/broadcasts/${id}/test`, { to }),
      api.post(`/v1/emails/${first.id}/retry`, undefined),
      api.post("/compat/resend/emails", mail),
      api.post("/compat/resend/emails/batch", [mail]),
    ]);
    expect(refusals.map(({ status }) => status)).toEqual([429, 429, 429, 429, 429]);
    const tool = await call(client, "send_email", aMail(workspace));
    expect([tool.isError, tool.text]).toEqual([true, expect.stringContaining("2 emails a day")]);
    expect(await count()).toBe(2);
  });
});

describe("the daily limit", () => {
  it("is exact for sends at the same time", async () => {
    await limitTo(5);
    const statuses = (await Promise.all(Array.from({ length: 20 }, () => send()))).map(({ status }) => status);
    expect(statuses.sort()).toEqual([...Array(5).fill(202), ...Array(15).fill(429)]);
    expect(await count()).toBe(5);
  });

  it("responds to a repeated request with its first response, and counts it once", async () => {
    await limitTo(1);
    const key = { "Idempotency-Key": "daily" };
    const accepted = await (await send(key)).json();
    const repeated = await send(key);
    expect([repeated.status, await repeated.json()]).toEqual([202, accepted]);
    expect((await send()).status).toBe(429);
    // A refusal is not stored: the same request is accepted once the limit allows it.
    const later = { "Idempotency-Key": "later" };
    expect((await send(later)).status).toBe(429);
    await limitTo(2);
    expect((await send(later)).status).toBe(202);
    expect(await count()).toBe(2);
  });

  it("is that of the deployment, unless the workspace has its own or none", async () => {
    const limited = apiOn({ WORK: discardingQueue, DAILY_EMAIL_LIMIT: "1" }, workspace.apiKey);
    const sendLimited = async () => (await limited.post("/v1/emails/", aMail(workspace))).status;
    expect([await sendLimited(), await sendLimited()]).toEqual([202, 429]);
    await limitTo(2);
    expect([await sendLimited(), await sendLimited()]).toEqual([202, 429]);
    await limitTo(0);
    expect([await sendLimited(), await sendLimited()]).toEqual([202, 202]);
  });

  it("costs no further call of D1, and one row written beside the first of the day", async () => {
    const { bindings, trips } = countingDb();
    const counted = apiOn({ ...bindings, WORK: discardingQueue }, workspace.apiKey);
    const written = async (limit: number | null) => {
      await limitTo(limit);
      await counted.get("/v1/me");
      trips.length = 0;
      expect((await counted.post("/v1/emails/", aMail(workspace))).status).toBe(202);
      expect(trips).toHaveLength(2);
      return trips[1]?.rowsWritten ?? 0;
    };
    await written(null);
    const unlimited = await written(null);
    expect(await written(100)).toBe(unlimited + 2);
    expect(await written(100)).toBe(unlimited + 1);
    trips.length = 0;
    await limitTo(1);
    expect((await counted.post("/v1/emails/", aMail(workspace))).status).toBe(429);
    // The credential, the transaction that writes no email, and why.
    expect(trips).toHaveLength(3);
    expect(trips.slice(1).map(({ rowsWritten }) => rowsWritten)).toEqual([0, 0]);
  });

  it("does not hold back emails of the service itself", async () => {
    await limitTo(1);
    await send();
    const ctx = testContext({ SYSTEM_MAILBOX: workspace.mailbox, WORK: discardingQueue });
    const email = { cause: "sign_in_link" as const, to: "user@example.org", subject: "Sign in", parts: ["A link."] };
    expect(await sendSystemEmail(ctx, email)).toBe(true);
    expect(await count()).toBe(2);
  });

  it("0 means none, also for the deployment", () => {
    const of = (dailyEmailLimit: number, dailyLimit: number | null) =>
      dailyLimitOf({ settings: { ...testContext().settings, dailyEmailLimit } }, { number: 1, dailyLimit });
    expect([of(0, null), of(10, null), of(10, 0), of(0, 7), of(10, 7)]).toEqual([null, 10, null, 7, 7]);
  });
});
