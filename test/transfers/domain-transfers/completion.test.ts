import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import type { DomainOut } from "../../../src/domains/domains/schema.ts";
import type { TransferOut } from "../../../src/transfers/domain-transfers/schema.ts";
import { readAudit } from "../../support/audit.ts";
import { database } from "../../support/databases.ts";
import { publishRecords, register } from "../../support/domains.ts";
import { assignEgress } from "../../support/named-egresses.ts";
import { insertCredential } from "../../support/smtp-credentials.ts";
import {
  acceptById,
  age,
  aSystemWorkspace,
  complete,
  DAY,
  decide,
  initiate,
  insertDomain,
  ownerOf,
  ownersOf,
  runDeadlineAt,
  transfer,
} from "../../support/transfers.ts";
import { aKey, aMember, apiWith, aWorkspace, type TestWorkspace } from "../../support/workspace.ts";

/** Rows that move, end or are recorded at the end of the safety window. */

let source: TestWorkspace;
let target: TestWorkspace;

beforeAll(aSystemWorkspace);

const create = async () => {
  [source, target] = await Promise.all([aWorkspace(), aWorkspace()]);
};
const all = async (sql: string, ...values: unknown[]) =>
  (
    await env.DB.prepare(sql)
      .bind(...values)
      .all()
  ).results;
const password = "correct horse battery staple";

describe("a completed transfer", () => {
  it("moves the domain with token, DKIM keys and mailboxes, and ends credentials, passwords, assignees and sessions", async () => {
    await create();
    const { domainId, mailboxId, mailbox } = source;
    await insertCredential(source, { domain_id: domainId });
    await source.call("PUT", `/v1/mailboxes/${mailboxId}/password`, { password });
    await source.post(`/v1/mailboxes/${mailboxId}/app-passwords`, { name: "Program" });
    await source.call("PUT", `/v1/mailboxes/${mailboxId}/assignees`, { user_ids: [source.userId] });
    const login = await source.post("/v1/webmail/login", { email: mailbox, password });
    const { refresh_token } = await login.json<{ refresh_token: string }>();
    const before = await (await source.get(`/v1/domains/${domainId}`)).json<DomainOut>();

    await transfer(source, target);

    expect(await (await target.get(`/v1/domains/${domainId}`)).json()).toEqual(before);
    expect(await (await target.get(`/v1/mailboxes/${mailboxId}`)).json()).toMatchObject({
      address: mailbox,
      assignee_ids: [],
    });
    for (const path of [`/v1/domains/${domainId}`, `/v1/mailboxes/${mailboxId}`])
      expect((await source.get(path)).status, path).toBe(404);
    expect(
      await all("SELECT 1 FROM smtp_credentials WHERE domain_id = ?1 AND deactivated_at IS NULL", domainId),
    ).toEqual([]);
    expect(await all("SELECT 1 FROM app_passwords WHERE mailbox_id = ?1", mailboxId)).toEqual([]);
    expect((await target.post("/v1/webmail/login", { email: mailbox, password })).status).toBe(401);
    expect((await target.post("/v1/webmail/refresh", { refresh_token })).status).toBe(401);
    for (const side of [source, target]) {
      const entries = (await readAudit(side)).filter(({ action }) => action === "domain.transferred");
      expect(entries).toMatchObject([
        { actor: null, target: { kind: "domain", id: domainId }, detail: { to: target.workspaceId } },
      ]);
      expect(
        await all("SELECT 1 FROM notifications WHERE workspace = ?1 AND title LIKE '%has moved'", side.workspaceNumber),
      ).toHaveLength(1);
    }
  });

  it("can send for the new owner at once, and the name gets a new token when the old owner registers it again", async () => {
    await create();
    const token = await all("SELECT ownership_token FROM domains WHERE id = ?1", source.domainId);
    await transfer(source, target);
    const mail = { from_: { email: source.mailbox }, to: [{ email: "a@example.org" }], subject: "Hi", text: "Hi" };
    expect((await target.post("/v1/emails/", mail)).status).toBe(202);
    const { id } = await register(source, source.domain);
    const again = await all("SELECT ownership_token FROM domains WHERE id = ?1", id);
    expect(again).not.toEqual(token);
  });

  it("merges a pending row of the target: equal mailboxes are deleted, others and its keys' permissions are kept", async () => {
    await create();
    const { id: pending } = await register(target, source.domain);
    for (const local_part of ["hello", "other"])
      await target.post("/v1/mailboxes/", { domain_id: pending, local_part });
    const key = await aKey(target, { domainIds: [pending, target.domainId] });
    await transfer(source, target);
    const mailboxes = await (await target.get(`/v1/mailboxes/?domain_id=${source.domainId}`)).json<
      { id: string; address: string }[]
    >();
    expect(mailboxes.map(({ address }) => address).sort()).toEqual([
      `hello@${source.domain}`,
      `other@${source.domain}`,
    ]);
    expect(mailboxes.find(({ address }) => address === source.mailbox)?.id).toBe(source.mailboxId);
    expect((await target.get(`/v1/domains/${pending}`)).status).toBe(404);
    expect((await apiWith(key).get(`/v1/domains/${source.domainId}`)).status).toBe(200);
    expect((await apiWith(key).get(`/v1/domains/${target.domainId}`)).status).toBe(200);
  });

  it("with rotate_dkim shows the new records at the acceptance, and signs with the old keys until they are seen", async () => {
    await create();
    const { id } = await initiate(source, target);
    const accepted = await acceptById(target, id, { rotate_dkim: true });
    expect(accepted.dkim_records).toHaveLength(2);
    const [listed] = await (await target.get("/v1/domain-transfers/incoming")).json<TransferOut[]>();
    expect(listed?.dkim_records).toEqual(accepted.dkim_records);
    // The source cannot see or replace them.
    expect(
      (await (await source.get(`/v1/domains/${source.domainId}`)).json<DomainOut>()).records.filter(
        ({ purpose }) => purpose === "dkim",
      ),
    ).toHaveLength(2);
    await complete(accepted);
    const domain = await (await target.get(`/v1/domains/${source.domainId}`)).json<DomainOut>();
    const names = domain.records.filter(({ purpose }) => purpose === "dkim").map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(accepted.dkim_records.map(({ name }) => name)));
    const signing = () =>
      all(
        "SELECT selector FROM dkim_keys WHERE domain_id = ?1 AND activated_at IS NOT NULL AND retired_at IS NULL",
        source.domainId,
      );
    expect((await signing()).map(({ selector }) => selector)).toEqual(source.dkim.map(({ selector }) => selector));
    await publishRecords(domain);
    await target.post(`/v1/domains/${source.domainId}/verify`, undefined);
    const fresh = (await signing()).map(({ selector }) => `${selector}._domainkey.${source.domain}`);
    expect(fresh.sort()).toEqual(accepted.dkim_records.map(({ name }) => name).sort());
  });

  it("that is stopped leaves no new keys", async () => {
    await create();
    const accepted = await acceptById(target, (await initiate(source, target)).id, { rotate_dkim: true });
    await database.run("DELETE FROM memberships WHERE user_id = ?1", [target.userId]);
    await complete(accepted);
    expect(await all("SELECT 1 FROM domain_transfer_keys WHERE transfer_id = ?1", accepted.id)).toEqual([]);
    expect(await all("SELECT 1 FROM dkim_keys WHERE domain_id = ?1", source.domainId)).toHaveLength(2);
  });

  it("stores no token of a link in clear", async () => {
    const tables = [
      "domain_transfers",
      "domain_transfer_tokens",
      "domain_transfer_keys",
      "outbox",
      "audit_log",
      "notifications",
    ];
    for (const table of tables) {
      const rows = JSON.stringify(await all(`SELECT * FROM ${table}`));
      expect(rows, table).not.toMatch(/domain-transfers\/(accept|stop)\//);
      expect(rows, table).not.toContain("PRIVATE KEY");
    }
  });
});

describe("a transfer becomes reversed at the end of its window, and the domain stays", () => {
  const cases: [string, () => Promise<unknown>][] = [
    [
      "when the recipient has left the workspace",
      () => database.run("DELETE FROM memberships WHERE user_id = ?1", [target.userId]),
    ],
    [
      "when the recipient may no longer manage its domains",
      () => database.run("UPDATE memberships SET role = 'member' WHERE user_id = ?1", [target.userId]),
    ],
    ["when the target workspace was deleted", () => target.call("DELETE", `/v1/workspaces/${target.workspaceId}`)],
    [
      "when the domain is no longer verified",
      () => database.run("UPDATE domains SET status = 'failed' WHERE id = ?1", [source.domainId]),
    ],
    [
      "when the source has verified the domain above it",
      () => insertDomain(source, source.domain.split(".").slice(1).join(".")),
    ],
  ];
  for (const [when, change] of cases)
    it(when, async () => {
      await create();
      const name = `sub.d${crypto.randomUUID().slice(0, 8)}.test`;
      await database.run("UPDATE domains SET name = ?2, reversed_name = ?3 WHERE id = ?1", [
        source.domainId,
        name,
        `${name.split(".").reverse().join(".")}.`,
      ]);
      source = { ...source, domain: name };
      const accepted = await acceptById(target, (await initiate(source, target)).id);
      await change();
      await complete(accepted);
      const rows = await all("SELECT workspace FROM domains WHERE id = ?1", source.domainId);
      expect(rows).toEqual([{ workspace: source.workspaceNumber }]);
      expect(await all("SELECT status FROM domain_transfers WHERE id = ?1", accepted.id)).toEqual([
        { status: "reversed" },
      ]);
      expect((await readAudit(source)).map(({ action }) => action)).toContain("transfer.failed");
    });
});

describe("the deadline", () => {
  it("is done by the alarm of the object, and by the outbox when the alarm was lost", async () => {
    await create();
    const accepted = await acceptById(target, (await initiate(source, target)).id);
    await age(accepted.id, DAY);
    const object = env.DOMAIN_TRANSFER.getByName(source.domainId);
    await object.runDeadline(source.domainId, Date.now() - 2 * DAY);
    expect(await ownersOf(source.domain)).toEqual([source.workspaceNumber]);
    const due = await all("SELECT due_at FROM outbox WHERE kind = 'transfer' AND ref LIKE ?1", `%${source.domainId}%`);
    expect(due.length).toBeGreaterThanOrEqual(2);
    await runDeadlineAt(source.domainId, Date.now());
    expect(await ownersOf(source.domain)).toEqual([target.workspaceNumber]);
    // Again, and for a domain without a transfer: nothing happens.
    await runDeadlineAt(source.domainId, Date.now());
    await runDeadlineAt(crypto.randomUUID(), Date.now());
    expect(await ownersOf(source.domain)).toEqual([target.workspaceNumber]);
  });

  it("ends the egresses that the domain and its sub-domains had of their own, and leaves others", async () => {
    await create();
    await insertDomain(source, `mail.${source.domain}`);
    await insertDomain(source, `x${source.domain}`);
    await assignEgress(source, { domain: "east", workspace: "east" });
    await transfer(source, target);
    const egresses = await all(
      "SELECT name, egress FROM domains WHERE workspace IN (?1, ?2) AND name LIKE ?3 ORDER BY length(name), name",
      ...[source.workspaceNumber, target.workspaceNumber, `%${source.domain}`],
    );
    expect(egresses).toEqual([
      { name: source.domain, egress: null },
      { name: `x${source.domain}`, egress: "east" },
      { name: `mail.${source.domain}`, egress: null },
    ]);
    expect(await all("SELECT egress FROM workspaces WHERE number = ?1", target.workspaceNumber)).toEqual([
      { egress: null },
    ]);
  });

  it("a member who takes over as owner of the target can still get the domain, and sub-domains come along", async () => {
    await create();
    const sub = await insertDomain(source, `mail.${source.domain}`);
    const deep = await insertDomain(source, `eu.mail.${source.domain}`, "pending");
    const other = await insertDomain(source, `x${source.domain}`);
    const accepted = await acceptById(target, (await initiate(source, target)).id);
    await aMember(target, "owner");
    await complete(accepted);
    for (const { id } of [sub, deep]) expect((await target.get(`/v1/domains/${id}`)).status).toBe(200);
    expect((await source.get(`/v1/domains/${other.id}`)).status).toBe(200);
  });
});

describe("names above and below", () => {
  it("a domain below a verified one of the workspace is refused as parent_domain, and names it", async () => {
    await create();
    const sub = await insertDomain(source, `mail.${source.domain}`);
    const refused = await decide(
      await source.post(`/v1/domains/${sub.id}/transfer`, { target_email: await ownerOf(target) }),
    );
    expect(refused).toMatchObject({ status: 409, code: "parent_domain" });
    expect(refused.body).toMatchObject({ blockers: [{ kind: "domain", id: source.domainId, label: source.domain }] });
  });

  it("a transfer of a name is transfer_active for the names above and below it", async () => {
    await create();
    const sub = await insertDomain(source, `mail.${source.domain}`, "pending");
    await initiate(source, target);
    await database.run("UPDATE domains SET status = 'verified' WHERE id = ?1", [sub.id]);
    const refused = await decide(
      await source.post(`/v1/domains/${sub.id}/transfer`, { target_email: await ownerOf(target) }),
    );
    expect(refused).toMatchObject({ status: 409, code: "transfer_active" });
  });

  it("a key that is restricted to the domain cannot take sub-domains along that it may not use", async () => {
    await create();
    await insertDomain(source, `mail.${source.domain}`);
    const api = apiWith(await aKey(source, { domainIds: [source.domainId] }));
    const target_email = await ownerOf(target);
    expect((await api.post(`/v1/domains/${source.domainId}/transfer`, { target_email })).status).toBe(403);
  });
});
