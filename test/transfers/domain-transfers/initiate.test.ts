import { beforeAll, describe, expect, it } from "vitest";
import { aContactList } from "../../audience/broadcasts/support.ts";
import { readAudit } from "../../support/audit.ts";
import { database } from "../../support/databases.ts";
import { consumeQueues } from "../../support/queues.ts";
import {
  acceptById,
  aSystemWorkspace,
  asParty,
  decide,
  initiate,
  insertDomain,
  mailedToken,
  ownerOf,
  performAt,
} from "../../support/transfers.ts";
import { aKey, aMail, apiOn, apiWith, aWorkspace, type TestWorkspace } from "../../support/workspace.ts";

consumeQueues("work");

/** POST /v1/domains/{domain_id}/transfer, and the lists. */

let source: TestWorkspace;
let target: TestWorkspace;
let email: string;

beforeAll(async () => {
  [source, target] = await Promise.all([aWorkspace(), aWorkspace(), aSystemWorkspace()]);
  email = await ownerOf(target);
});

const offer = async (body: unknown, domainId = source.domainId, api: Pick<TestWorkspace, "post"> = source) =>
  decide(await api.post(`/v1/domains/${domainId}/transfer`, body));
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

describe("an offer is refused", () => {
  it("with target_not_found for an address without an account, self_transfer for one's own, 422 for no address", async () => {
    expect(await offer({ target_email: "nobody@example.org" })).toMatchObject({
      status: 404,
      code: "target_not_found",
    });
    const own = (await ownerOf(source)).toUpperCase();
    expect(await offer({ target_email: own })).toMatchObject({ status: 409, code: "self_transfer" });
    for (const target_email of [
      undefined,
      null,
      1,
      "",
      "x",
      "a@b\r\nBcc: c@example.org",
      "a\u0000@example.org",
      "\ud800@b.test",
    ])
      expect((await offer({ target_email })).status, String(target_email)).toBe(422);
    expect((await offer({ target_email: `${"a".repeat(3_000_000)}@example.org` })).status).toBe(422);
    // A dotless i and a Kelvin sign are other letters, not other spellings.
    const look = email.replace("owner", "owner\u0131");
    expect(await offer({ target_email: look })).toMatchObject({ status: 404, code: "target_not_found" });
  });

  it("with 422 for a note of more than 1000 characters, which may be 1000 emoji", async () => {
    const domain = await insertDomain(source);
    expect((await offer({ target_email: email, note: "x".repeat(1_001) }, domain.id)).status).toBe(422);
    expect((await offer({ target_email: email, note: 1 }, domain.id)).status).toBe(422);
    expect((await offer({ target_email: email, note: "🦊".repeat(1_000) }, domain.id)).status).toBe(200);
  });

  it("with domain_not_verified for a pending or failed domain", async () => {
    for (const status of ["pending", "failed"]) {
      const { id } = await insertDomain(source, undefined, status);
      expect(await offer({ target_email: email }, id)).toMatchObject({ status: 409, code: "domain_not_verified" });
    }
  });

  it("with transfer_active while another transfer of the domain is pending or accepted", async () => {
    const { id } = await insertDomain(source);
    const first = await initiate(source, target, id);
    expect(await offer({ target_email: email }, id)).toMatchObject({ status: 409, code: "transfer_active" });
    await acceptById(target, first.id);
    expect(await offer({ target_email: email }, id)).toMatchObject({ status: 409, code: "transfer_active" });
  });

  it("with scheduled_emails and the emails, and can be repeated once they are cancelled", async () => {
    const own = await aWorkspace();
    const { id } = await own.create("/v1/emails/", aMail(own, { send_at: inAnHour(), subject: "Later" }));
    const refused = await offer({ target_email: email }, own.domainId, own);
    expect(refused).toMatchObject({ status: 409, code: "scheduled_emails" });
    expect(refused.body).toMatchObject({ blockers: [{ kind: "scheduled_email", id, label: "Later" }] });
    await own.call("DELETE", `/v1/emails/scheduled/${id}`);
    expect((await offer({ target_email: email }, own.domainId, own)).status).toBe(200);
  });

  it("with broadcasts_in_flight and the broadcasts, scheduled and sending, also at the acceptance", async () => {
    const own = await aWorkspace();
    const transfer = await initiate(own, target);
    const body = {
      name: "News",
      subject: "News",
      text_body: "Hello",
      from_address: own.mailbox,
      scheduled_at: inAnHour(),
    };
    const contact_list_id = await aContactList(own, 1);
    const { id } = await own.create("/v1/broadcasts/", { ...body, contact_list_id });
    const refused = await decide(await target.post(`/v1/domain-transfers/by-id/${transfer.id}/accept`, {}));
    expect(refused).toMatchObject({ status: 409, code: "broadcasts_in_flight" });
    expect(refused.body).toMatchObject({ blockers: [{ kind: "broadcast", id, label: "News" }] });
    await database.run("UPDATE broadcasts SET status = 'sending' WHERE id = ?1", [id]);
    await own.call("DELETE", `/v1/domain-transfers/${transfer.id}`);
    expect(await offer({ target_email: email }, own.domainId, own)).toMatchObject({ code: "broadcasts_in_flight" });
    await own.post(`/v1/broadcasts/${id}/cancel`, undefined);
    expect((await offer({ target_email: email }, own.domainId, own)).status).toBe(200);
  });

  it("to keys without the domain, to restricted accounts, and without the service's mailbox", async () => {
    const { id } = await insertDomain(source);
    const elsewhere = apiWith(await aKey(source, { domainIds: [source.domainId] }));
    expect((await offer({ target_email: email }, id, elsewhere)).status).toBe(404);
    const request = { verb: "initiate" as const, input: { target_email: email } };
    const mailless = await performAt(Date.now(), await asParty(source), id, request, { SYSTEM_MAILBOX: "" });
    expect(mailless.status).toBe(503);
    const restricted = await aWorkspace();
    await database.run("UPDATE users SET restricted_at = 1 WHERE id = ?1", [restricted.userId]);
    expect((await offer({ target_email: email }, restricted.domainId, restricted)).status).toBe(403);
  });

  it("with 429 from the sixth call in a minute on, refused calls included, for each user", async () => {
    const own = await aWorkspace();
    const limited = apiOn({ TRANSFER_INITIATIONS_PER_MINUTE: "5" }, own.apiKey);
    const path = `/v1/domains/${own.domainId}/transfer`;
    for (let call = 0; call < 5; call++) expect((await limited.post(path, {})).status).toBe(422);
    const refused = await limited.post(path, { target_email: email });
    expect([refused.status, refused.headers.get("RateLimit-Policy")]).toEqual([429, '"transfer-initiations";q=5;w=60']);
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0);
  });
});

describe("an offer", () => {
  it("repeated with its Idempotency-Key makes one transfer and one email, twenty times at once too", async () => {
    const { id } = await insertDomain(source);
    const post = () => source.post(`/v1/domains/${id}/transfer`, { target_email: email }, { "Idempotency-Key": id });
    const responses = await Promise.all(Array.from({ length: 20 }, post));
    const bodies = await Promise.all(responses.map(async (response) => `${response.status} ${await response.text()}`));
    expect(new Set(bodies).size, bodies.join("\n")).toBe(1);
    const again = await post();
    expect([again.status, again.headers.get("Idempotency-Replayed")]).toEqual([200, "true"]);
  });

  it("without a key succeeds once of twenty at once, and the others are transfer_active", async () => {
    const { id } = await insertDomain(source);
    const responses = await Promise.all(Array.from({ length: 20 }, () => offer({ target_email: email }, id)));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(responses.filter(({ code }) => code === "transfer_active")).toHaveLength(19);
  });

  it("is listed to a key that is restricted to its domain, and to no key of other domains", async () => {
    const { id } = await insertDomain(source);
    const transfer = await offer({ target_email: email }, id);
    expect(transfer.status).toBe(200);
    const listedWith = async (domainIds: string[]) => {
      const api = apiWith(await aKey(source, { domainIds }));
      const list = await (await api.get("/v1/domain-transfers/outgoing")).json<{ domain_id: string }[]>();
      return list.map(({ domain_id }) => domain_id);
    };
    expect(await listedWith([id])).toEqual([id]);
    expect(await listedWith([source.domainId])).not.toContain(id);
  });

  it("is listed to both sides, audited, and mailed with its note as plain text", async () => {
    const [own, other] = await Promise.all([aWorkspace(), aWorkspace()]);
    const to = await ownerOf(other);
    const note = "Line one\r\nBcc: x@example.org\n<script>alert(1)</script>\n[sealed link 1.AAAA.BBBB]";
    const transfer = await own.create(`/v1/domains/${own.domainId}/transfer`, { target_email: to.toUpperCase(), note });
    expect(await mailedToken("accept", to)).toMatch(/^[\w-]{43}$/);
    const outgoing = await (await own.get("/v1/domain-transfers/outgoing")).json();
    expect(outgoing).toMatchObject([{ id: transfer.id, status: "pending", note, source_label: expect.any(String) }]);
    expect(await (await other.get("/v1/domain-transfers/incoming")).json()).toMatchObject([{ id: transfer.id }]);
    expect(await (await own.get("/v1/domain-transfers/incoming")).json()).toEqual([]);
    expect(await (await other.get("/v1/domain-transfers/outgoing")).json()).toEqual([]);
    const entries = (await readAudit(own)).filter(({ action }) => action === "transfer.initiated");
    expect(entries).toMatchObject([{ target: { id: transfer.id }, actor: { user_id: own.userId } }]);
  });

  it("pages both lists by a Link header, newest first", async () => {
    const own = await aWorkspace();
    const other = await aWorkspace();
    const ids: string[] = [];
    for (let count = 0; count < 3; count++) ids.unshift((await initiate(own, other, (await insertDomain(own)).id)).id);
    for (const [api, list] of [
      [own, "outgoing"],
      [other, "incoming"],
    ] as const) {
      const seen: string[] = [];
      for (let path: string | null = `/v1/domain-transfers/${list}?limit=2`; path !== null; ) {
        const response = await api.get(path);
        seen.push(...(await response.json<{ id: string }[]>()).map(({ id }) => id));
        path = /<[^>]*(\/v1\/[^>]*)>/.exec(response.headers.get("Link") ?? "")?.[1] ?? null;
      }
      expect(seen).toEqual(ids);
    }
  });
});

it("eligibility names the domains of the workspace, and who cannot accept", async () => {
  const path = "/v1/domain-transfers/accept-eligibility";
  const own = await aWorkspace();
  expect(await (await own.get(path)).json()).toEqual({
    ...{ can_accept: true, code: null, message: null },
    ...{ current_domains: 1, domain_limit: -1 },
  });
  await database.run("UPDATE memberships SET role = 'member' WHERE user_id = ?1", [own.userId]);
  expect(await (await own.get(path)).json()).toMatchObject({ can_accept: false, code: "org_access_lost" });
});

it("the endpoints return 404 while transfers are switched off", async () => {
  const off = apiOn({ DOMAIN_TRANSFERS: "off" }, source.apiKey);
  const unknown = await (await off.get("/v1/unknown")).text();
  for (const [method, path] of [
    ["POST", `/v1/domains/${source.domainId}/transfer`],
    ["GET", "/v1/domain-transfers/incoming"],
    ["GET", "/v1/domain-transfers/outgoing"],
    ["GET", "/v1/domain-transfers/accept-eligibility"],
    ["POST", "/v1/domain-transfers/x/accept"],
    ["POST", "/v1/domain-transfers/by-id/x/accept"],
    ["POST", "/v1/domain-transfers/x/decline"],
    ["DELETE", "/v1/domain-transfers/x"],
    ["POST", "/v1/domain-transfers/stop/x"],
  ] as const) {
    const response = await off.call(method, path, method === "POST" ? {} : undefined);
    expect([response.status, await response.text()], path).toEqual([404, unknown]);
  }
});
