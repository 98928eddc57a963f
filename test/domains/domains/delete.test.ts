import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { r2Keys } from "../../../src/platform/db/r2-keys.ts";
import type { DetailOut } from "../../../src/sending/emails/schema.ts";
import { database } from "../../support/databases.ts";
import { publishRecords, register, uniqueDomainName, verify } from "../../support/domains.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { aKey, aMail, apiWith, aWorkspace, perTest } from "../../support/workspace.ts";

const HOUR = 3_600_000;
const workspace = perTest(aWorkspace);

/** Creates a verified domain with a mailbox. */
async function createSender() {
  const domain = await register(workspace);
  await publishRecords(domain);
  await verify(workspace, domain.id);
  const response = await workspace.post("/v1/mailboxes/", { domain_id: domain.id, local_part: "hello" });
  return { domain, mailbox: await response.json<{ id: string; address: string }>() };
}

describe("DELETE /v1/domains/{domain_id}", () => {
  it("returns 204, then 404, and deletes its keys, mailboxes, assignees and its id in API keys", async () => {
    const { domain, mailbox } = await createSender();
    await workspace.call("PUT", `/v1/mailboxes/${mailbox.id}/assignees`, { user_ids: [workspace.userId] });
    const other = await register(workspace);
    const [both, alone] = [{ domainIds: [domain.id, other.id] }, { domainIds: [domain.id] }];
    const keys = [await aKey(workspace, both), await aKey(workspace, alone)];
    expect((await workspace.call("DELETE", `/v1/domains/${domain.id}?delete_mailboxes=true`)).status).toBe(204);
    expect((await workspace.call("DELETE", `/v1/domains/${domain.id}?delete_mailboxes=true`)).status).toBe(404);
    expect((await workspace.get(`/v1/mailboxes/${mailbox.id}`)).status).toBe(404);
    for (const [table, column, id] of [
      ["dkim_keys", "domain_id", domain.id],
      ["mailboxes", "domain_id", domain.id],
      ["mailbox_assignees", "mailbox_id", mailbox.id],
    ]) {
      const results = await database.rows(`SELECT 1 FROM ${table} WHERE ${column} = ?1`, [id]);
      expect(results, table).toEqual([]);
    }
    const seen = keys.map(async (key) => (await apiWith(key).get("/v1/domains/")).json<{ id: string }[]>());
    expect((await Promise.all(seen)).map((list) => list.map(({ id }) => id))).toEqual([[other.id], []]);
    const closed = await apiWith(keys[1] ?? "").post("/v1/emails/", aMail(workspace));
    expect(closed.status).toBe(422);
  });

  it("is a 409 with the mailboxes as blockers, unless it is asked to delete them", async () => {
    const { domain, mailbox } = await createSender();
    for (const query of ["", "?delete_mailboxes=false"]) {
      const refused = await workspace.call("DELETE", `/v1/domains/${domain.id}${query}`);
      expect([refused.status, await refused.json()]).toEqual([
        409,
        {
          detail: "This domain has a mailbox; call again with ?delete_mailboxes=true to delete all mail in them too",
          blockers: [{ kind: "mailbox", id: mailbox.id, label: mailbox.address }],
        },
      ]);
    }
    expect((await workspace.call("DELETE", `/v1/domains/${domain.id}?delete_mailboxes=yes`)).status).toBe(422);
    expect((await workspace.get(`/v1/mailboxes/${mailbox.id}`)).status).toBe(200);
    await workspace.call("DELETE", `/v1/mailboxes/${mailbox.id}`);
    expect((await workspace.call("DELETE", `/v1/domains/${domain.id}`)).status).toBe(204);
  });

  it("needs mailboxes:manage too for a domain that is deleted with its mailboxes", async () => {
    const { domain, mailbox } = await createSender();
    const manager = apiWith(await aKey(workspace, { scopes: ["domains:manage"] }));
    const refused = await manager.call("DELETE", `/v1/domains/${domain.id}?delete_mailboxes=true`);
    expect([refused.status, await refused.json()]).toEqual([403, { detail: "Missing scope: mailboxes:manage" }]);
    expect((await workspace.get(`/v1/mailboxes/${mailbox.id}`)).status).toBe(200);
    await workspace.call("DELETE", `/v1/mailboxes/${mailbox.id}`);
    expect((await manager.call("DELETE", `/v1/domains/${domain.id}`)).status).toBe(204);
  });

  it("queued email becomes failed at dispatch and scheduled email at its time, each with a reason", async () => {
    const { domain, mailbox } = await createSender();
    const apiWithoutQueue = workspace.withoutQueue;
    const mail = aMail({ mailbox: mailbox.address });
    const sendAt = new Date(Date.now() + HOUR).toISOString();
    const queued = await apiWithoutQueue.create("/v1/emails/", mail);
    const scheduled = await (await apiWithoutQueue.post("/v1/emails/", { ...mail, send_at: sendAt })).json<{
      id: string;
    }>();
    expect((await workspace.call("DELETE", `/v1/domains/${domain.id}?delete_mailboxes=true`)).status).toBe(204);
    const read = async ({ id }: { id: string }) => (await workspace.get(`/v1/emails/${id}`)).json<DetailOut>();
    await runOutboxAt(Date.now());
    expect(await read(queued)).toMatchObject({ status: "failed" });
    expect((await read(queued)).events.at(-1)?.metadata).toMatchObject({
      reason: expect.stringContaining("no longer"),
    });
    expect(await read(scheduled)).toMatchObject({ status: "scheduled" });
    await runOutboxAt(Date.now() + HOUR + 1000);
    expect(await read(scheduled)).toMatchObject({ status: "failed" });
    expect((await read(scheduled)).events.at(-1)?.metadata).toMatchObject({
      reason: expect.stringContaining("no longer"),
    });
  });

  it("adds an outbox row for 50 of its mailboxes, which deletes the messages of all of them", async () => {
    const { domain } = await createSender();
    const ids = Array.from({ length: 120 }, (_, n) => `mailbox-${domain.id}-${String(n).padStart(3, "0")}`);
    await database.run(
      `INSERT INTO mailboxes (id, workspace, domain_id, local_part, address, created_at)
         SELECT value, ?1, ?2, value, value || '@a.test', 0 FROM json_each(?3)`,
      [workspace.workspaceNumber, domain.id, JSON.stringify(ids)],
    );
    const keys = [ids[0], ids[60], ids[119]].map((id) => `${r2Keys.mailboxes}${id}/1.eml`);
    for (const key of keys) await env.CONTENT.put(key, "a message");
    const before = await env.DB.prepare("SELECT count(*) AS n FROM outbox").first<number>("n");
    expect((await workspace.call("DELETE", `/v1/domains/${domain.id}?delete_mailboxes=true`)).status).toBe(204);
    const after = await env.DB.prepare("SELECT count(*) AS n FROM outbox").first<number>("n");
    expect((after ?? 0) - (before ?? 0)).toBe(3);
    await runOutboxAt(Date.now() + 130_000, {}, ["purge"]);
    expect(await Promise.all(keys.map((key) => env.CONTENT.head(key)))).toEqual([null, null, null]);
  });

  it("deletes the messages of its mailboxes from R2 through the outbox", async () => {
    const { domain, mailbox } = await createSender();
    const key = (n: number) => `${r2Keys.mailbox(mailbox.id)}${n}.eml`;
    await Promise.all(Array.from({ length: 30 }, (_, n) => env.CONTENT.put(key(n), "mail")));
    await env.CONTENT.put(`${r2Keys.mailboxes}${mailbox.id}x/1.eml`, "another mailbox's");
    await workspace.call("DELETE", `/v1/domains/${domain.id}?delete_mailboxes=true`);
    await runOutboxAt(Date.now() + HOUR);
    expect((await env.CONTENT.list({ prefix: r2Keys.mailbox(mailbox.id) })).objects).toEqual([]);
    expect(await env.CONTENT.head(`${r2Keys.mailboxes}${mailbox.id}x/1.eml`)).not.toBeNull();
    const results = await database.rows("SELECT 1 FROM outbox WHERE id = ?1", [mailbox.id]);
    expect(results).toEqual([]);
  });

  it("of twenty concurrent deletions one returns 204 and the others 404", async () => {
    const { id } = await register(workspace, uniqueDomainName());
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => workspace.call("DELETE", `/v1/domains/${id}?delete_mailboxes=true`)),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([204, ...Array.from({ length: 19 }, () => 404)]);
  });
});

describe("DELETE /v1/workspaces/{workspace_id}", () => {
  it("ends every credential at once, sends nothing more and leaves no row in D1 and no object in R2", async () => {
    const { mailbox } = await createSender();
    const apiWithoutQueue = workspace.withoutQueue;
    const mail = aMail({ mailbox: mailbox.address }, { to: [{ email: "friend@example.org" }] });
    for (let i = 0; i < 3; i++) expect((await apiWithoutQueue.post("/v1/emails/", mail)).status).toBe(202);
    await apiWithoutQueue.post("/v1/suppressions/", { email: "a@example.org" });
    const second = await aKey(workspace);
    expect((await workspace.call("DELETE", `/v1/workspaces/${workspace.workspaceId}`)).status).toBe(204);
    for (const key of [workspace.apiKey, second]) expect((await apiWith(key).get("/v1/me")).status).toBe(401);
    await runOutboxAt(Date.now() + HOUR);
    await runOutboxAt(Date.now() + 2 * HOUR);
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
      const results = await database.rows(`SELECT 1 FROM ${table} WHERE workspace = ?1`, [workspace.workspaceNumber]);
      expect(results, table).toEqual([]);
    }
    const left = await database
      .prepare("SELECT 1 FROM workspaces WHERE number = ?1")
      .bind(workspace.workspaceNumber)
      .all();
    expect(left.results).toEqual([]);
    expect((await env.CONTENT.list({ prefix: r2Keys.workspace(workspace.workspaceId) })).objects).toEqual([]);
    const results = await database.rows("SELECT kind FROM outbox WHERE due_at < ?1", [Date.now() + 3 * HOUR]);
    expect(results).toEqual([]);
    expect((await database.row<{ n: number }>("SELECT count(*) AS n FROM outbox"))?.n).toBe(0);
  });

  it("email that is dispatched before its row is purged becomes failed and is not sent", async () => {
    const { mailbox } = await createSender();
    const apiWithoutQueue = workspace.withoutQueue;
    const { id } = await (await apiWithoutQueue.post("/v1/emails/", aMail({ mailbox: mailbox.address }))).json<{
      id: string;
    }>();
    await workspace.call("DELETE", `/v1/workspaces/${workspace.workspaceId}`);
    await runOutboxAt(Date.now());
    const row = await database.row("SELECT status, recipients FROM emails WHERE id = ?1", [id]);
    expect(row).toMatchObject({ status: "failed" });
  });

  it("returns 403 to admins, members and keys that are restricted to domains", async () => {
    for (const role of ["admin", "member"] as const) {
      const otherWorkspace = await aWorkspace({ role });
      expect((await otherWorkspace.call("DELETE", `/v1/workspaces/${otherWorkspace.workspaceId}`)).status, role).toBe(
        403,
      );
    }
    const key = await aKey(workspace, { domainIds: [workspace.domainId] });
    expect((await apiWith(key).call("DELETE", `/v1/workspaces/${workspace.workspaceId}`)).status).toBe(403);
    expect((await workspace.get("/v1/me")).status).toBe(200);
  });
});
