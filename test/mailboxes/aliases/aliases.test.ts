import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { checkRecipient } from "../../../src/mailboxes/inbound/index.ts";
import { readAudit } from "../../support/audit.ts";
import { database } from "../../support/databases.ts";
import { register } from "../../support/domains.ts";
import { insertDomain } from "../../support/transfers.ts";
import { aKey, aMail, apiWith, aWorkspace, perTest, testContext } from "../../support/workspace.ts";
import { aRawMessage, deliver } from "../inbound/support.ts";

const workspace = perTest(aWorkspace);

interface Alias {
  id: string;
  address: string;
}

const path = (id = workspace.mailboxId) => `/v1/mailboxes/${id}/aliases`;
const add = (address: unknown, id?: string) => workspace.post(path(id), { address });
const at = (local: string, domain = workspace.domain) => `${local}@${domain}`;
async function added(address = at("sales"), id?: string): Promise<Alias> {
  const response = await add(address, id);
  expect(response.status, await response.clone().text()).toBe(201);
  return response.json<Alias>();
}
async function aMailbox(local_part: string): Promise<string> {
  return (await workspace.create("/v1/mailboxes/", { domain_id: workspace.domainId, local_part })).id;
}
const listed = async (id?: string) => (await workspace.get(path(id))).json<Alias[]>();
const items = async (id = workspace.mailboxId) =>
  (await env.MAILBOX.getByName(id).list("INBOX", { limit: 100, offset: 0 }))?.items ?? [];

describe("an alias", () => {
  it("is added in canonical form, listed in order of address, recorded in the audit log, and deleted", async () => {
    const support = await added(at("Support"));
    const sales = await added();
    expect(await listed()).toEqual([sales, support]);
    expect(support).toEqual({
      id: expect.any(String),
      mailbox_id: workspace.mailboxId,
      domain_id: workspace.domainId,
      address: at("support"),
      created_at: expect.stringMatching(/Z$/),
    });
    expect((await workspace.call("DELETE", `${path()}/${sales.id}`)).status).toBe(204);
    expect((await workspace.call("DELETE", `${path()}/${sales.id}`)).status).toBe(404);
    expect(await listed()).toEqual([support]);
    expect((await readAudit(workspace)).map(({ action }) => action)).toEqual(
      expect.arrayContaining(["mailbox.alias_added", "mailbox.alias_deleted"]),
    );
  });

  it.each([
    "",
    "sales",
    "a b@c.example",
    "*@{}",
    "sales+news@{}",
    "a\r\nb@{}",
    "a\0@{}",
    `${"a".repeat(65)}@{}`,
    7,
    null,
  ])("is refused with 422 for the address %j", async (address) => {
    const text = typeof address === "string" ? address.replace("{}", workspace.domain) : address;
    const response = await add(text);
    expect(response.status).toBe(422);
    const { detail } = await response.json<{ detail: { loc: unknown[] }[] }>();
    expect(detail[0]?.loc).toEqual(["body", "address"]);
  });

  it("is refused for a body that is empty or huge", async () => {
    expect((await workspace.post(path(), "")).status).toBe(422);
    expect((await add(`${"a".repeat(2_000_000)}@${workspace.domain}`)).status).toBeGreaterThanOrEqual(413);
    expect(await listed()).toEqual([]);
  });

  it("is at a verified domain of the workspace that the API key may use", async () => {
    const [pending, foreign, own] = [await register(workspace), await aWorkspace(), await insertDomain(workspace)];
    expect((await add(at("sales", pending.name))).status).toBe(422);
    expect((await add(at("sales", foreign.domain))).status).toBe(422);
    const restricted = apiWith(await aKey(workspace, { domainIds: [workspace.domainId] }));
    expect((await restricted.post(path(), { address: at("sales", own.name) })).status).toBe(422);
    expect((await add(at("sales", own.name))).status).toBe(201);
    expect(await (await restricted.get(path())).json()).toEqual([]);
    expect((await foreign.post(path(), { address: at("sales", foreign.domain) })).status).toBe(404);
  });

  it("may have letters outside ASCII", async () => {
    expect((await added(at("grüße"))).address).toBe(at("grüße"));
    expect(await deliver(at("GRÜSSE".replace("SS", "ß")), aRawMessage())).toBeNull();
  });

  it("is refused for a catch-all and for a mailbox whose domain is not verified", async () => {
    expect((await add(at("sales"), await aMailbox("*"))).status).toBe(409);
    const { id } = await register(workspace);
    expect(
      (await add(at("sales"), (await workspace.create("/v1/mailboxes/", { domain_id: id, local_part: "desk" })).id))
        .status,
    ).toBe(409);
    expect((await add(at("sales"))).status).toBe(201);
  });

  it("is the 100th at most", async () => {
    const insert = env.DB.prepare(
      "INSERT INTO mailbox_aliases SELECT ?1 || value, ?2, ?1, ?3, 'a' || value || '@' || ?4, 1 FROM json_each(?5)",
    );
    const numbers = JSON.stringify(Array.from({ length: 99 }, (_, index) => index));
    const { mailboxId, workspaceNumber, domainId, domain } = workspace;
    await insert.bind(mailboxId, workspaceNumber, domainId, domain, numbers).run();
    await added(at("last"));
    const response = await add(at("more"));
    expect([response.status, await response.json()]).toEqual([
      409,
      { detail: "The mailbox has 100 aliases, which is the limit; delete one first" },
    ]);
  });
});

describe("an address", () => {
  it("is of one mailbox or one alias, also when both are added at once", async () => {
    const other = await aMailbox("other");
    const mailbox = (local_part: string) =>
      workspace.post("/v1/mailboxes/", { domain_id: workspace.domainId, local_part });
    for (const local of ["a", "b", "c", "d"]) {
      const calls = [add(at(local)), add(at(local), other), mailbox(local), add(at(local.toUpperCase()))];
      const statuses = await Promise.all(calls.map(async (call) => (await call).status));
      expect(statuses.toSorted(), local).toEqual([201, 409, 409, 409]);
    }
    expect((await add(workspace.mailbox)).status).toBe(409);
    expect((await add(workspace.mailbox, other)).status).toBe(409);
  });

  it("is free again when the alias or its mailbox is deleted", async () => {
    const other = await aMailbox("other");
    const { id } = await added(at("sales"), other);
    await workspace.call("DELETE", `${path(other)}/${id}`);
    await added(at("sales"), other);
    await workspace.call("DELETE", `/v1/mailboxes/${other}`);
    await added(at("sales"));
  });
});

describe("mail to an alias", () => {
  it("is accepted at RCPT and arrives in the mailbox, also with a plus-label; once for several of its addresses", async () => {
    await added();
    for (const to of [at("sales"), at("SALES"), at("sales+news")])
      expect(await checkRecipient(testContext(), to), to).toEqual({ accepted: true, kind: "mailbox" });
    const raw = aRawMessage({ To: `${at("sales")}, ${workspace.mailbox}` });
    for (const to of [at("sales"), workspace.mailbox, at("sales+news")]) expect(await deliver(to, raw)).toBeNull();
    expect(await items()).toHaveLength(1);
    const results = await database.rows("SELECT recipient FROM inbound_emails WHERE mailbox_id = ?1 ORDER BY n", [
      workspace.mailboxId,
    ]);
    expect(results.map(({ recipient }) => recipient)).toEqual([at("sales"), workspace.mailbox, at("sales+news")]);
  });

  it("comes before the catch-all, and at a domain of its own it needs that domain only to be verified", async () => {
    const catchAll = await aMailbox("*");
    const own = await insertDomain(workspace);
    await added();
    await added(at("sales", own.name));
    for (const to of [at("sales"), at("sales", own.name)]) expect(await deliver(to, aRawMessage())).toBeNull();
    expect([(await items()).length, (await items(catchAll)).length]).toEqual([2, 0]);
    await database.run("UPDATE domains SET status = 'failed' WHERE id = ?1", [own.id]);
    expect(await deliver(at("sales", own.name), aRawMessage())).toBe("550 5.1.1 No such recipient");
  });

  it("is refused as soon as the alias is deleted or its mailbox is not active, and what it has received stays", async () => {
    const { id } = await added();
    await deliver(at("sales"), aRawMessage());
    await workspace.call("PATCH", `/v1/mailboxes/${workspace.mailboxId}`, { is_active: false });
    expect(await deliver(at("sales"), aRawMessage())).toBe("550 5.1.1 No such recipient");
    await workspace.call("PATCH", `/v1/mailboxes/${workspace.mailboxId}`, { is_active: true });
    await workspace.call("DELETE", `${path()}/${id}`);
    expect(await deliver(at("sales"), aRawMessage())).toBe("550 5.1.1 No such recipient");
    expect(await items()).toHaveLength(1);
  });

  it("does not open the mailbox: its password is that of its own address", async () => {
    await added();
    const password = "correct horse battery staple";
    await workspace.call("PUT", `/v1/mailboxes/${workspace.mailboxId}/password`, { password });
    expect((await workspace.post("/v1/webmail/login", { email: at("sales"), password })).status).toBe(401);
    expect((await workspace.post("/v1/webmail/login", { email: workspace.mailbox, password })).status).toBe(200);
  });
});

describe("the domain of an alias", () => {
  it("takes its aliases with it when it is deleted, and is refused as before while it has mailboxes", async () => {
    const own = await insertDomain(workspace);
    await added(at("sales", own.name));
    expect((await workspace.call("DELETE", `/v1/domains/${own.id}`)).status).toBe(204);
    expect(await listed()).toEqual([]);
    expect((await workspace.call("DELETE", `/v1/domains/${workspace.domainId}`)).status).toBe(409);
  });
});

describe("a send from an alias", () => {
  it("is accepted as from a mailbox, and refused when the alias was deleted", async () => {
    const api = workspace.withoutQueue;
    expect((await api.post("/v1/emails/", aMail({ mailbox: at("sales") }))).status).toBe(422);
    const { id } = await added();
    expect((await api.post("/v1/emails/", aMail({ mailbox: at("sales") }))).status).toBe(202);
    await workspace.call("DELETE", `${path()}/${id}`);
    expect((await api.post("/v1/emails/", aMail({ mailbox: at("sales") }))).status).toBe(422);
  });
});
