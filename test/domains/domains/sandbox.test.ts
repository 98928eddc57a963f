/** The test domain of a new workspace (docs/contract/domains.md#test-domain). */
import { describe, expect, it } from "vitest";
import { advanceRotations, recheckDomains, reversedName } from "../../../src/domains/domains/index.ts";
import type { DomainOut } from "../../../src/domains/domains/schema.ts";
import { findSender } from "../../../src/mailboxes/forwards/sender.ts";
import type { Forward } from "../../../src/mailboxes/forwards/types.ts";
import { findMoved } from "../../../src/transfers/domain-transfers/requirements.ts";
import { database } from "../../support/databases.ts";
import { failApi, zoneRecords } from "../../support/dns-control.ts";
import { publishRecords, register, uniqueDomainName, verify } from "../../support/domains.ts";
import { aSandbox, contextOf, SANDBOX, type Sandbox } from "../../support/sandbox.ts";
import { aSession } from "../../support/sessions.ts";
import { aMagicLink, browser } from "../../support/sign-ins.ts";
import { GATEWAY_HEADERS } from "../../support/submissions.ts";
import { settingsOfZone, TEST_ZONES } from "../../support/test-zones.ts";
import { insertDomain } from "../../support/transfers.ts";
import { apiOn, apiWith, aWorkspace } from "../../support/workspace.ts";

const DAY = 86_400_000;

const domainOf = async ({ get, domainId }: Sandbox) => (await get(`/v1/domains/${domainId}`)).json<DomainOut>();
const keysOf = async ({ domainId }: Sandbox) =>
  await database.rows<{ slot: number; selector: string; signs: 0 | 1 }>(
    "SELECT slot, selector, activated_at IS NOT NULL AND retired_at IS NULL AS signs FROM dkim_keys WHERE domain_id = ?1 ORDER BY slot",
    [domainId],
  );
const statusOf = ({ domainId }: { domainId: string }) =>
  database.value<string>("SELECT status FROM domains WHERE id = ?1", [domainId]);

/** Gives a test domain a name below another domain, as in a deployment whose SANDBOX_DOMAIN is below it. */
const placeBelow = ({ domainId }: Sandbox, parent: string) =>
  database.run("UPDATE domains SET name = ?2, reversed_name = ?3 WHERE id = ?1", [
    domainId,
    `try.${parent}`,
    reversedName(`try.${parent}`),
  ]);

describe("a new workspace", () => {
  it("has a verified domain below SANDBOX_DOMAIN with one mailbox, whose records are published at its own names", async () => {
    const workspace = await aSandbox({ name: "Café & Söhne" });
    expect(workspace.domain).toBe(`${workspace.slug}.${SANDBOX.SANDBOX_DOMAIN}`);
    expect(workspace.mailbox).toBe(`hello@${workspace.domain}`);
    expect(await domainOf(workspace)).toMatchObject({
      ...{ status: "verified", sandbox: true, receives: false, records: [], health: "unknown", link_host: null },
    });
    const keys = await keysOf(workspace);
    expect(keys.map(({ signs }) => signs)).toEqual([1, 0]);
    const records = await zoneRecords(workspace.domain);
    expect(records.map(({ name, type }) => `${type} ${name}`).sort()).toEqual(
      [`_dmarc.${workspace.domain}`, ...keys.map(({ selector }) => `${selector}._domainkey.${workspace.domain}`)]
        .map((name) => `TXT ${name}`)
        .sort(),
    );
  });

  it("has one after a sign-up too, and none without SANDBOX_DOMAIN or a zone that has it", async () => {
    const domainsOf = (email: string) =>
      database.value<string | null>(
        `SELECT group_concat(d.name) AS names FROM users u JOIN memberships m ON m.user_id = u.id
             JOIN domains d ON d.workspace = m.workspace WHERE u.email_key = ?1`,
        [email],
      );
    const signUp = async (settings: Record<string, string>) => {
      const email = `${crypto.randomUUID()}@example.org`;
      expect((await browser({ SIGN_UP: "open", ...settings }).post(await aMagicLink(email))).status).toBe(303);
      return domainsOf(email);
    };
    expect(await signUp(SANDBOX)).toMatch(/\.try\.sandbox-zone\.test$/);
    expect(await signUp({ ...SANDBOX, SANDBOX_DOMAIN: "" })).toBeNull();
    expect(await signUp({ ...SANDBOX, SANDBOX_DOMAIN: "elsewhere.test" })).toBeNull();
    expect(await signUp({ ...SANDBOX, SANDBOX_DOMAIN: "no domain" })).toBeNull();
  });

  it("is created without one when the zone has no room", async () => {
    const full = { ...settingsOfZone("sandbox-zone.test", 20), SANDBOX_DOMAIN: SANDBOX.SANDBOX_DOMAIN };
    await database.run(
      "INSERT INTO zones (name, records) VALUES ('sandbox-zone.test', 3) ON CONFLICT DO UPDATE SET records = max(records, 3)",
    );
    await expect(aSandbox({ settings: full })).rejects.toThrow("the workspace has no test domain");
  });

  it("keeps its domain verified while the DNS API is down, and through all checks", async () => {
    const { id } = TEST_ZONES.find(({ name }) => name === "sandbox-zone.test") ?? TEST_ZONES[0];
    await failApi(id, "down");
    const workspace = await aSandbox().finally(() => failApi(id, null));
    expect(await zoneRecords(workspace.domain)).toEqual([]);
    for (const days of [1, 2, 3, 4]) await recheckDomains(contextOf(days * DAY));
    const verified = await workspace.post(`/v1/domains/${workspace.domainId}/verify`, undefined);
    expect([verified.status, await verified.json()]).toEqual([200, expect.objectContaining({ status: "verified" })]);
    for (const days of [5, 6, 7, 8]) await recheckDomains(contextOf(days * DAY));
    expect(await statusOf(workspace)).toBe("verified");
  });

  it("rotates the keys of its domain as those of a delegated one", async () => {
    const workspace = await aSandbox();
    await advanceRotations(contextOf(91 * DAY));
    expect((await keysOf(workspace)).map(({ signs }) => signs)).toEqual([0, 1]);
    await advanceRotations(contextOf(106 * DAY));
    const [first] = await keysOf(workspace);
    const value = "SELECT value FROM zone_records WHERE name = ?1 AND due_at IS NOT NULL";
    const name = `${first?.selector}._domainkey.${workspace.domain}`;
    expect(await database.prepare(value).bind(name).first("value")).toMatch(/^v=DKIM1/);
  });
});

describe("SANDBOX_DOMAIN", () => {
  it("and the names below it are registered and verified by no workspace", async () => {
    const { apiKey, ...workspace } = await aWorkspace();
    const { post } = apiOn(SANDBOX, apiKey);
    for (const name of ["try.sandbox-zone.test", "x.try.sandbox-zone.test", "A.B.Try.Sandbox-Zone.test."]) {
      const response = await post("/v1/domains/", { name });
      expect([response.status, await response.text()]).toEqual([
        422,
        expect.stringContaining("name belongs to the test domains of this service"),
      ]);
    }
    expect((await post("/v1/domains/", { name: `retry.sandbox-zone.test` })).status).toBe(201);
    // It was registered before the setting.
    const early = await (
      await workspace.post("/v1/domains/", { name: "early.try.sandbox-zone.test" })
    ).json<DomainOut>();
    await publishRecords(early);
    expect((await post(`/v1/domains/${early.id}/verify`, undefined)).status).toBe(409);
  });

  it("may be below a domain that a workspace verifies, which does not take its test domains over", async () => {
    const [sandbox, owner, name] = [await aSandbox(), await aWorkspace(), uniqueDomainName()];
    await placeBelow(sandbox, name);
    const parent = await register(owner, name);
    await publishRecords(parent);
    expect(await verify(owner, parent.id)).toMatchObject({ status: 200, domain: { status: "verified" } });
    expect(await statusOf(sandbox)).toBe("verified");
  });
});

describe("a test domain", () => {
  it("is neither changed nor transferred, takes no further address and no SMTP credential", async () => {
    const workspace = await aSandbox();
    const { domainId, mailboxId, domain, post, call } = workspace;
    const patch = (body: unknown) => call("PATCH", `/v1/domains/${domainId}`, body);
    expect((await patch({ setup: "manual" })).status).toBe(409);
    expect((await patch({ receives: true })).status).toBe(409);
    const transfer = await post(`/v1/domains/${domainId}/transfer`, { target_email: "a@example.org" });
    expect([transfer.status, await transfer.text()]).toEqual([409, expect.stringContaining("cannot be transferred")]);
    expect((await post("/v1/mailboxes/", { domain_id: domainId, local_part: "shop" })).status).toBe(409);
    expect((await post("/v1/mailboxes/", { domain_id: domainId, local_part: "*" })).status).toBe(409);
    expect((await post(`/v1/mailboxes/${mailboxId}/aliases`, { address: `shop@${domain}` })).status).toBe(422);
    expect((await post("/v1/smtp-credentials/", { domain_id: domainId })).status).toBe(400);
  });

  it("receives no mail: its address is one without a mailbox", async () => {
    const { mailbox, apiKey } = await aSandbox();
    const ask = (address: string) => apiWith(null).post("/gateway/recipients", { address }, GATEWAY_HEADERS);
    const unknown = await (await ask("nobody@nowhere.example")).json<Record<string, unknown>>();
    expect(await (await ask(mailbox)).json()).toEqual(unknown);
    expect(apiKey).not.toBe("");
  });

  it("forwards nothing and replies to nothing, even where its mailbox has mail by an alias at another domain", async () => {
    const workspace = await aSandbox();
    const own = await insertDomain(workspace);
    const alias = await workspace.post(`/v1/mailboxes/${workspace.mailboxId}/aliases`, { address: `me@${own.name}` });
    expect(alias.status).toBe(201);
    const forward = { mailbox: workspace.mailboxId, workspace: workspace.workspaceNumber };
    expect(await findSender(contextOf(), forward as Forward, "a@example.org")).toBeNull();
  });

  it("stays when the domain above it moves to another workspace", async () => {
    const workspace = await aSandbox();
    const parent = await insertDomain(workspace);
    await placeBelow(workspace, parent.name);
    const row = { workspace: workspace.workspaceNumber, reversedName: reversedName(parent.name) };
    expect(await findMoved(contextOf(), row)).toEqual([parent]);
  });

  it("goes with its owner's deletion, and with the workspace; its records stay for the mail that it has signed", async () => {
    const [first, second] = [await aSandbox(), await aSandbox()];
    expect((await first.call("DELETE", `/v1/domains/${first.domainId}?delete_mailboxes=true`)).status).toBe(204);
    const session = await aSession(second);
    expect((await session.call("DELETE", `/v1/workspaces/${second.workspaceId}`)).status).toBe(204);
    for (const { domainId, domain } of [first, second]) {
      expect(await statusOf({ domainId })).toBeNull();
      const left =
        "SELECT count(*) AS n FROM zone_records WHERE instr(name, ?1) > 0 AND is_removed = 1 AND domain_id IS NULL";
      expect(await database.prepare(left).bind(domain).first("n")).toBe(3);
    }
  });
});
