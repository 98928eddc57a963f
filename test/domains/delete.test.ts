import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { r2Keys } from "../../src/db/r2-keys.ts";
import type { DetailOut } from "../../src/emails/schema.ts";
import { aName, publishRecords, register, verify } from "../support/domains.ts";
import { runWorkAt } from "../support/run-work-at.ts";
import { aKey, aMail, apiOn, apiWith, aWorkspace, queueThatRefuses, type TestWorkspace } from "../support/workspace.ts";

const HOUR = 3_600_000;
let ours: TestWorkspace;

beforeEach(async () => {
  ours = await aWorkspace();
});

/** A verified domain of ours with a mailbox on it. */
async function aSender() {
  const domain = await register(ours);
  await publishRecords(domain);
  await verify(ours, domain.id);
  const response = await ours.post("/v1/mailboxes/", { domain_id: domain.id, local_part: "hello" });
  return { domain, mailbox: await response.json<{ id: string; address: string }>() };
}

describe("DELETE /v1/domains/{domain_id}", () => {
  it("answers 204, then 404, and leaves no key, mailbox, assignee or permission behind", async () => {
    const { domain, mailbox } = await aSender();
    await ours.call("PUT", `/v1/mailboxes/${mailbox.id}/assignees`, { user_ids: [ours.userId] });
    const other = await register(ours);
    const [both, alone] = [{ domainIds: [domain.id, other.id] }, { domainIds: [domain.id] }];
    const keys = [await aKey(ours, both), await aKey(ours, alone)];
    expect((await ours.call("DELETE", `/v1/domains/${domain.id}`)).status).toBe(204);
    expect((await ours.call("DELETE", `/v1/domains/${domain.id}`)).status).toBe(404);
    expect((await ours.get(`/v1/mailboxes/${mailbox.id}`)).status).toBe(404);
    for (const [table, column, id] of [
      ["dkim_keys", "domain_id", domain.id],
      ["mailboxes", "domain_id", domain.id],
      ["mailbox_assignees", "mailbox_id", mailbox.id],
    ]) {
      const { results } = await env.DB.prepare(`SELECT 1 FROM ${table} WHERE ${column} = ?1`).bind(id).all();
      expect(results, table).toEqual([]);
    }
    const seen = keys.map(async (key) => (await apiWith(key).get("/v1/domains/")).json<{ id: string }[]>());
    expect((await Promise.all(seen)).map((list) => list.map(({ id }) => id))).toEqual([[other.id], []]);
    const closed = await apiWith(keys[1] ?? "").post("/v1/emails/", aMail(ours));
    expect(closed.status).toBe(422);
  });

  it("queued mail ends as failed when it is dispatched, scheduled mail at its time, each with the reason", async () => {
    const { domain, mailbox } = await aSender();
    const apiWithoutQueue = apiOn({ WORK: queueThatRefuses }, ours.apiKey);
    const mail = aMail({ mailbox: mailbox.address });
    const sendAt = new Date(Date.now() + HOUR).toISOString();
    const queued = await (await apiWithoutQueue.post("/v1/emails/", mail)).json<{ id: string }>();
    const scheduled = await (await apiWithoutQueue.post("/v1/emails/", { ...mail, send_at: sendAt })).json<{
      id: string;
    }>();
    expect((await ours.call("DELETE", `/v1/domains/${domain.id}`)).status).toBe(204);
    const read = async ({ id }: { id: string }) => (await ours.get(`/v1/emails/${id}`)).json<DetailOut>();
    await runWorkAt(Date.now());
    expect(await read(queued)).toMatchObject({ status: "failed" });
    expect((await read(queued)).events.at(-1)?.metadata).toMatchObject({
      reason: expect.stringContaining("no longer"),
    });
    expect(await read(scheduled)).toMatchObject({ status: "scheduled" });
    await runWorkAt(Date.now() + HOUR + 1000);
    expect(await read(scheduled)).toMatchObject({ status: "failed" });
    expect((await read(scheduled)).events.at(-1)?.metadata).toMatchObject({
      reason: expect.stringContaining("no longer"),
    });
  });

  it("takes the mail of its mailboxes out of R2 by outbox", async () => {
    const { domain, mailbox } = await aSender();
    const key = (n: number) => `${r2Keys.mailbox(mailbox.id)}${n}.eml`;
    await Promise.all(Array.from({ length: 30 }, (_, n) => env.CONTENT.put(key(n), "mail")));
    await env.CONTENT.put(`${r2Keys.mailboxes}${mailbox.id}x/1.eml`, "another mailbox's");
    await ours.call("DELETE", `/v1/domains/${domain.id}`);
    await runWorkAt(Date.now() + HOUR);
    expect((await env.CONTENT.list({ prefix: r2Keys.mailbox(mailbox.id) })).objects).toEqual([]);
    expect(await env.CONTENT.head(`${r2Keys.mailboxes}${mailbox.id}x/1.eml`)).not.toBeNull();
    const { results } = await env.DB.prepare("SELECT 1 FROM outbox WHERE id = ?1").bind(mailbox.id).all();
    expect(results).toEqual([]);
  });

  it("twenty deletions at once: one is 204, the others 404", async () => {
    const { id } = await register(ours, aName());
    const answers = await Promise.all(Array.from({ length: 20 }, () => ours.call("DELETE", `/v1/domains/${id}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, ...Array.from({ length: 19 }, () => 404)]);
  });
});

describe("DELETE /v1/workspaces/{workspace_id}", () => {
  it("ends every credential at once, sends nothing more and leaves nothing of it in D1 and R2", async () => {
    const { mailbox } = await aSender();
    const apiWithoutQueue = apiOn({ WORK: queueThatRefuses }, ours.apiKey);
    const mail = aMail({ mailbox: mailbox.address }, { to: [{ email: "friend@example.org" }] });
    for (let i = 0; i < 3; i++) expect((await apiWithoutQueue.post("/v1/emails/", mail)).status).toBe(202);
    await apiWithoutQueue.post("/v1/suppressions/", { email: "a@example.org" });
    const second = await aKey(ours);
    expect((await ours.call("DELETE", `/v1/workspaces/${ours.workspaceId}`)).status).toBe(204);
    for (const key of [ours.apiKey, second]) expect((await apiWith(key).get("/v1/me")).status).toBe(401);
    await runWorkAt(Date.now() + HOUR);
    await runWorkAt(Date.now() + 2 * HOUR);
    for (const table of [
      "emails",
      "changes",
      "suppressions",
      "rollups_hourly",
      "api_keys",
      "memberships",
      "domains",
      "mailboxes",
      "notifications",
    ]) {
      const { results } = await env.DB.prepare(`SELECT 1 FROM ${table} WHERE workspace = ?1`)
        .bind(ours.workspaceNumber)
        .all();
      expect(results, table).toEqual([]);
    }
    const left = await env.DB.prepare("SELECT 1 FROM workspaces WHERE number = ?1").bind(ours.workspaceNumber).all();
    expect(left.results).toEqual([]);
    expect((await env.CONTENT.list({ prefix: r2Keys.workspace(ours.workspaceId) })).objects).toEqual([]);
    const { results } = await env.DB.prepare("SELECT kind FROM outbox WHERE due_at < ?1")
      .bind(Date.now() + 3 * HOUR)
      .all();
    expect(results).toEqual([]);
    expect((await env.DB.prepare("SELECT count(*) AS n FROM outbox").first<{ n: number }>())?.n).toBe(0);
  });

  it("mail that is dispatched before its row is gone becomes failed, and is not sent", async () => {
    const { mailbox } = await aSender();
    const apiWithoutQueue = apiOn({ WORK: queueThatRefuses }, ours.apiKey);
    const { id } = await (await apiWithoutQueue.post("/v1/emails/", aMail({ mailbox: mailbox.address }))).json<{
      id: string;
    }>();
    await ours.call("DELETE", `/v1/workspaces/${ours.workspaceId}`);
    await runWorkAt(Date.now());
    const row = await env.DB.prepare("SELECT status, recipients FROM emails WHERE id = ?1").bind(id).first();
    expect(row).toMatchObject({ status: "failed" });
  });

  it("is for owners only, and not for a key that is restricted to a domain", async () => {
    for (const role of ["admin", "member"] as const) {
      const theirs = await aWorkspace({ role });
      expect((await theirs.call("DELETE", `/v1/workspaces/${theirs.workspaceId}`)).status, role).toBe(403);
    }
    const key = await aKey(ours, { domainIds: [ours.domainId] });
    expect((await apiWith(key).call("DELETE", `/v1/workspaces/${ours.workspaceId}`)).status).toBe(403);
    expect((await ours.get("/v1/me")).status).toBe(200);
  });
});
