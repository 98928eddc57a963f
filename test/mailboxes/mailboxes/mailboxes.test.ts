import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { MailboxOut } from "../../../src/mailboxes/mailboxes/schema.ts";
import { r2Keys } from "../../../src/platform/db/r2-keys.ts";
import type { DetailOut } from "../../../src/sending/emails/schema.ts";
import { database } from "../../support/databases.ts";
import { register } from "../../support/domains.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { aKey, aMail, aMember, apiWith, aWorkspace, perTest } from "../../support/workspace.ts";

const workspace = perTest(aWorkspace);

const create = (body: Record<string, unknown>, headers?: Record<string, string>) =>
  workspace.post("/v1/mailboxes/", { domain_id: workspace.domainId, ...body }, headers);
async function createMailbox(body: Record<string, unknown> = { local_part: "desk" }): Promise<MailboxOut> {
  const response = await create(body);
  expect(response.status, await response.clone().text()).toBe(201);
  return response.json<MailboxOut>();
}
const read = (id: string) => workspace.get(`/v1/mailboxes/${id}`);
const patch = (id: string, body: unknown) => workspace.call("PATCH", `/v1/mailboxes/${id}`, body);
const assign = (id: string, user_ids: unknown) => workspace.call("PUT", `/v1/mailboxes/${id}/assignees`, { user_ids });

describe("POST /v1/mailboxes/", () => {
  it("returns 201 with the record, which GET returns too and which can send when its domain is verified", async () => {
    const mailbox = await createMailbox({ local_part: "Desk", display_name: "  The Desk ", quota_bytes: 1000 });
    expect(mailbox).toEqual({
      id: expect.any(String),
      domain_id: workspace.domainId,
      address: `desk@${workspace.domain}`,
      display_name: "The Desk",
      is_active: true,
      quota_bytes: 1000,
      used_bytes: 0,
      assignee_ids: [],
      created_at: expect.stringMatching(/Z$/),
    });
    expect(await (await read(mailbox.id)).json()).toEqual(mailbox);
    expect((await workspace.withoutQueue.post("/v1/emails/", aMail({ mailbox: mailbox.address }))).status).toBe(202);
  });

  it("can be created on a pending domain, and cannot send then", async () => {
    const domain = await register(workspace);
    const { address } = await createMailbox({ domain_id: domain.id, local_part: "desk" });
    expect((await workspace.withoutQueue.post("/v1/emails/", aMail({ mailbox: address }))).status).toBe(422);
  });

  it("a catch-all receives only: it never satisfies the sender rule, and neither does a plus-address", async () => {
    expect((await createMailbox({ local_part: "*" })).address).toBe(`*@${workspace.domain}`);
    await createMailbox();
    for (const email of [`anything@${workspace.domain}`, `*@${workspace.domain}`, `desk+news@${workspace.domain}`])
      expect((await workspace.withoutQueue.post("/v1/emails/", aMail({ mailbox: email }))).status, email).toBe(422);
  });

  for (const local_part of ["", "a@b", "a b", "a+b", "a\r\nb", ".a", "a..b", "ü".repeat(300), "<a>", 7, null]) {
    it(`returns 422 to the local part ${JSON.stringify(local_part).slice(0, 20)}`, async () => {
      const response = await create({ local_part });
      expect(response.status).toBe(422);
      const { detail } = await response.json<{ detail: { loc: unknown[] }[] }>();
      expect(detail[0]?.loc).toEqual(["body", "local_part"]);
    });
  }

  it("returns 422 to names with control characters and to invalid quotas", async () => {
    for (const body of [
      { display_name: "a\nb" },
      { display_name: "n".repeat(321) },
      { quota_bytes: -1 },
      { quota_bytes: 1.5 },
      { quota_bytes: "1" },
    ])
      expect((await create({ local_part: "x", ...body })).status, JSON.stringify(body).slice(0, 40)).toBe(422);
  });

  it("creates one mailbox for an address in any letter case and in concurrent calls", async () => {
    const names = ["Desk", "desk", "DESK", "dEsK"];
    const responses = await Promise.all([...names, ...names, ...names].map((local_part) => create({ local_part })));
    expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 11 }, () => 409)]);
  });

  it("replays the response and creates once when a call is repeated with its Idempotency-Key", async () => {
    const responses = await Promise.all(
      [1, 2, 3].map(() => create({ local_part: "desk" }, { "Idempotency-Key": "k" })),
    );
    expect(responses.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set(await Promise.all(responses.map((result) => result.text()))).size).toBe(1);
  });

  it("returns 404, never 500, to a domain that is unknown or deleted at the same moment, and 422 to a text that is no id", async () => {
    expect((await create({ domain_id: crypto.randomUUID(), local_part: "a" })).status).toBe(404);
    for (const domain_id of ["x", "", `${workspace.domainId}0`, workspace.domainId.replaceAll("-", "")]) {
      const refused = await create({ domain_id, local_part: "a" });
      expect([refused.status, await refused.json()], domain_id).toEqual([
        422,
        { detail: [expect.objectContaining({ loc: ["body", "domain_id"] })] },
      ]);
      expect((await workspace.get(`/v1/mailboxes/?domain_id=${domain_id}`)).status, domain_id).toBe(422);
    }
    expect((await create({ domain_id: workspace.domainId.toUpperCase(), local_part: "a" })).status).toBe(201);
    const domain = await register(workspace);
    const [, ...responses] = await Promise.all([
      workspace.call("DELETE", `/v1/domains/${domain.id}?delete_mailboxes=true`),
      ...Array.from({ length: 10 }, (_, i) => create({ domain_id: domain.id, local_part: `m${i}` })),
    ]);
    for (const { status } of responses) expect([201, 404, 409]).toContain(status);
    const results = await database.rows("SELECT 1 FROM mailboxes WHERE domain_id = ?1", [domain.id]);
    expect(results).toEqual([]);
  });
});

describe("GET /v1/mailboxes/", () => {
  it("lists in order of address, in pages and after an address, optionally of one domain", async () => {
    for (const local_part of ["c", "a", "b"]) await createMailbox({ local_part });
    const other = await register(workspace);
    await createMailbox({ domain_id: other.id, local_part: "z" });
    const list = async (query: string) =>
      (await (await workspace.get(`/v1/mailboxes/?${query}`)).json<MailboxOut[]>()).map(
        ({ address }) => address.split("@")[0],
      );
    expect(await list(`domain_id=${workspace.domainId}`)).toEqual(["a", "b", "c", "hello"]);
    expect(await list(`domain_id=${workspace.domainId}&limit=2&page=1`)).toEqual(["c", "hello"]);
    expect(await list(`domain_id=${workspace.domainId}&after=b@${workspace.domain}`)).toEqual(["c", "hello"]);
    expect(await list(`domain_id=${crypto.randomUUID()}`)).toEqual([]);
    for (const query of ["limit=0", "limit=501", "page=-1", "page=x"])
      expect((await workspace.get(`/v1/mailboxes/?${query}`)).status).toBe(422);
  });

  it("a key restricted to domains sees and changes the mailboxes of these domains only", async () => {
    const other = await register(workspace);
    const otherMailbox = await createMailbox({ domain_id: other.id, local_part: "z" });
    const api = apiWith(await aKey(workspace, { domainIds: [workspace.domainId] }));
    const list = await (await api.get("/v1/mailboxes/")).json<MailboxOut[]>();
    expect(list.map(({ id }) => id)).toEqual([workspace.mailboxId]);
    expect((await api.get(`/v1/mailboxes/${otherMailbox.id}`)).status).toBe(404);
    expect((await api.call("PATCH", `/v1/mailboxes/${otherMailbox.id}`, { is_active: false })).status).toBe(404);
    expect((await api.call("DELETE", `/v1/mailboxes/${otherMailbox.id}`)).status).toBe(404);
    expect((await api.post("/v1/mailboxes/", { domain_id: other.id, local_part: "y" })).status).toBe(404);
  });
});

describe("PATCH /v1/mailboxes/{mailbox_id}", () => {
  it("changes the given fields, null included, and no others", async () => {
    const { id, ...rest } = await createMailbox({ local_part: "desk", display_name: "Desk", quota_bytes: 5 });
    const changed = async (body: unknown) => (await patch(id, body)).json();
    expect(await changed({})).toEqual({ id, ...rest });
    expect(await changed({ display_name: "New" })).toEqual({ id, ...rest, display_name: "New" });
    expect(await changed({ display_name: null })).toEqual({ id, ...rest, display_name: null });
    expect(await changed({ quota_bytes: 0 })).toMatchObject({ quota_bytes: 0, display_name: null });
    expect(await changed({ quota_bytes: null })).toMatchObject({ quota_bytes: null });
    expect(await changed({ is_active: false, address: "x@y.example", used_bytes: 9, domain_id: "d" })).toEqual({
      ...{ id, ...rest },
      ...{ display_name: null, quota_bytes: null, is_active: false },
    });
    for (const bad of [{ is_active: null }, { is_active: "no" }, { quota_bytes: -1 }, { display_name: 7 }, []])
      expect((await patch(id, bad)).status, JSON.stringify(bad)).toBe(422);
  });

  it("an inactive mailbox sends nothing more, and its queued email becomes failed", async () => {
    const { id, address } = await createMailbox();
    const apiWithoutQueue = workspace.withoutQueue;
    const email = await apiWithoutQueue.create("/v1/emails/", aMail({ mailbox: address }));
    await patch(id, { is_active: false });
    expect((await workspace.withoutQueue.post("/v1/emails/", aMail({ mailbox: address }))).status).toBe(422);
    await runOutboxAt(Date.now());
    expect(await (await workspace.get(`/v1/emails/${email.id}`)).json<DetailOut>()).toMatchObject({ status: "failed" });
    await patch(id, { is_active: true });
    expect((await workspace.withoutQueue.post("/v1/emails/", aMail({ mailbox: address }))).status).toBe(202);
  });
});

describe("PUT /v1/mailboxes/{mailbox_id}/assignees", () => {
  it("replaces the whole list with members of the workspace", async () => {
    const { id } = await createMailbox();
    const [a, b] = [await aMember(workspace, "member"), await aMember(workspace, "admin")];
    const ids = async (response: Response) => (await response.json<MailboxOut>()).assignee_ids;
    expect(await ids(await assign(id, [b.userId, a.userId, a.userId]))).toEqual([a.userId, b.userId].sort());
    expect(await ids(await assign(id, [b.userId]))).toEqual([b.userId]);
    expect(await ids(await read(id))).toEqual([b.userId]);
    expect(await ids(await assign(id, []))).toEqual([]);
  });

  it("names each user who is not a member, with one text for foreign, unknown and malformed ids, and changes nothing", async () => {
    const { id } = await createMailbox();
    await assign(id, [workspace.userId]);
    const other = await aWorkspace();
    const response = await assign(id, [workspace.userId, other.userId, crypto.randomUUID(), "nonsense"]);
    expect(response.status).toBe(422);
    const { detail } = await response.json<{ detail: { loc: unknown[]; msg: string }[] }>();
    expect(detail.map(({ loc }) => loc)).toEqual([1, 2, 3].map((index) => ["body", "user_ids", index]));
    expect(new Set(detail.map(({ msg }) => msg)).size).toBe(1);
    expect(await (await read(id)).json()).toMatchObject({ assignee_ids: [workspace.userId] });
    for (const bad of [null, "x", [7], Array.from({ length: 1001 }, () => workspace.userId)])
      expect((await assign(id, bad)).status).toBe(422);
  });
});

describe("DELETE /v1/mailboxes/{mailbox_id}", () => {
  it("returns 204, then 404; its queued email becomes failed with a reason, scheduled email at its time", async () => {
    const { id, address } = await createMailbox();
    await assign(id, [workspace.userId]);
    const apiWithoutQueue = workspace.withoutQueue;
    const send = async (changes = {}) =>
      (await apiWithoutQueue.create("/v1/emails/", aMail({ mailbox: address }, changes))).id;
    const queued = await send();
    const scheduled = await send({ send_at: new Date(Date.now() + 3_600_000).toISOString() });
    const responses = await Promise.all([1, 2, 3].map(() => workspace.call("DELETE", `/v1/mailboxes/${id}`)));
    expect(responses.map(({ status }) => status).sort()).toEqual([204, 404, 404]);
    expect((await read(id)).status).toBe(404);
    await runOutboxAt(Date.now());
    const email = async (emailId: string) => (await workspace.get(`/v1/emails/${emailId}`)).json<DetailOut>();
    expect((await email(queued)).events.at(-1)).toMatchObject({
      event_type: "failed",
      metadata: { reason: "the sender's mailbox was deleted or is not active" },
    });
    await runOutboxAt(Date.now() + 3_700_000);
    expect((await email(scheduled)).status).toBe("failed");
    const results = await database.rows("SELECT 1 FROM mailbox_assignees WHERE mailbox_id = ?1", [id]);
    expect(results).toEqual([]);
  });

  it("deletes its messages from R2 through the outbox, and no others", async () => {
    const { id } = await createMailbox();
    await env.CONTENT.put(`${r2Keys.mailbox(id)}1.eml`, "mail");
    await env.CONTENT.put(`${r2Keys.mailbox(workspace.mailboxId)}1.eml`, "other mail");
    await workspace.call("DELETE", `/v1/mailboxes/${id}`);
    await runOutboxAt(Date.now() + 600_000);
    expect(await env.CONTENT.head(`${r2Keys.mailbox(id)}1.eml`)).toBeNull();
    expect(await env.CONTENT.head(`${r2Keys.mailbox(workspace.mailboxId)}1.eml`)).not.toBeNull();
  });
});
