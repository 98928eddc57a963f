import { describe, expect, it } from "vitest";
import { recheckDomains, tendZones } from "../../../src/domains/domains/index.ts";
import type { DomainOut } from "../../../src/domains/domains/schema.ts";
import { database } from "../../support/databases.ts";
import { zoneRecords } from "../../support/dns-control.ts";
import { publishRecords, uniqueDomainName } from "../../support/domains.ts";
import { aSession } from "../../support/sessions.ts";
import { settingsOfZone } from "../../support/test-zones.ts";
import { aKey, aMember, apiOn, aWorkspace, perSuite, testContext } from "../../support/workspace.ts";
import { submit } from "../../web/dashboard/support.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const settings = settingsOfZone("policy-zone.test");
const at = (ms: number) => testContext(settings, () => Date.now() + ms);
const workspace = perSuite(aWorkspace);

async function register(setup: string): Promise<DomainOut> {
  const response = await apiOn(settings, workspace.apiKey).post("/v1/domains/", { name: uniqueDomainName(), setup });
  expect(response.status).toBe(201);
  return response.json<DomainOut>();
}

const patch = (id: string, body: object, key = workspace.apiKey) =>
  apiOn(settings, key).call("PATCH", `/v1/domains/${id}`, body);
const get = async (id: string) => (await apiOn(settings, workspace.apiKey).get(`/v1/domains/${id}`)).json<DomainOut>();
const dmarcOf = ({ records }: DomainOut) => records.find(({ purpose }) => purpose === "dmarc");

/** Returns the values of the DMARC record in the zone of a domain. */
async function published(domain: DomainOut): Promise<string[]> {
  const records = await zoneRecords(dmarcOf(domain)?.value ?? "none");
  return records.map(({ content }) => content);
}

const policyIn = async (domain: DomainOut) => {
  const [value, ...more] = await published(domain);
  expect(more).toEqual([]);
  return /^"v=DMARC1; p=(\w+); rua=mailto:[^"]+"$/.exec(value ?? "")?.[1];
};

describe("the DMARC policy of a delegated domain", () => {
  it("is published in the zone, shown in the record list and written to the audit log", async () => {
    const domain = await register("delegated");
    expect([domain.dmarc_policy, await policyIn(domain)]).toEqual(["none", "none"]);
    const response = await patch(domain.id, { dmarc_policy: "reject" });
    const after = await response.json<DomainOut>();
    expect([response.status, after.dmarc_policy, await policyIn(domain)]).toEqual([200, "reject", "reject"]);
    expect(dmarcOf(after)).toMatchObject({
      ...{ type: "CNAME", value: dmarcOf(domain)?.value },
      explanation: expect.stringContaining("The policy behind it is p=reject."),
    });
    expect((await patch(domain.id, { dmarc_policy: "reject" })).status).toBe(200);
    const results = await database.rows<{ action: string; detail: string }>(
      "SELECT action, detail FROM audit_log WHERE target_id = ?1 ORDER BY id",
      [domain.id],
    );
    expect(results.map(({ action }) => action)).toEqual(["domain.registered", "domain.dmarc_policy_changed"]);
    expect(JSON.parse(results[1]?.detail ?? "")).toMatchObject({ before: "none", dmarc_policy: "reject" });
  });

  it("stays through rotations, republished records and changes of the set-up", async () => {
    const domain = await register("delegated");
    await publishRecords(domain);
    await apiOn(settings, workspace.apiKey).post(`/v1/domains/${domain.id}/verify`, undefined);
    await patch(domain.id, { dmarc_policy: "quarantine" });
    for (const days of [91, 106]) await tendZones(at(days * DAY));
    expect(await policyIn(domain)).toBe("quarantine");
    await database.run("UPDATE zone_records SET due_at = 0 WHERE domain_id = ?1", [domain.id]);
    await recheckDomains(at(107 * DAY));
    await tendZones(at(107 * DAY));
    expect(await policyIn(domain)).toBe("quarantine");
    const manual = await (await patch(domain.id, { setup: "manual" })).json<DomainOut>();
    expect([manual.dmarc_policy, dmarcOf(manual)]).toEqual([
      null,
      expect.objectContaining({ type: "TXT", value: expect.stringContaining("p=quarantine;") }),
    ]);
    const back = await (await patch(domain.id, { setup: "delegated", dmarc_policy: "reject" })).json<DomainOut>();
    expect([back.dmarc_policy, await policyIn(back)]).toEqual(["reject", "reject"]);
  });

  it("is that of a domain that becomes delegated with it, at new names", async () => {
    const domain = await register("manual");
    const after = await (await patch(domain.id, { setup: "delegated", dmarc_policy: "reject" })).json<DomainOut>();
    expect([after.setup, after.dmarc_policy, await policyIn(after)]).toEqual(["delegated", "reject", "reject"]);
  });

  it("of two changes at once one is kept, in the domain as in the zone", async () => {
    const domain = await register("delegated");
    const statuses = await Promise.all(
      ["quarantine", "reject"].map(async (dmarc_policy) => (await patch(domain.id, { dmarc_policy })).status),
    );
    expect(statuses).toContain(200);
    expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([]);
    await tendZones(at(3 * MINUTE));
    expect(await policyIn(domain)).toBe((await get(domain.id)).dmarc_policy);
  });

  it("is written after a run that may still write the one before", async () => {
    const domain = await register("delegated");
    const claim = "UPDATE zone_records SET due_at = ?2 WHERE domain_id = ?1";
    await database
      .prepare(claim)
      .bind(domain.id, Date.now() + 2 * MINUTE)
      .run();
    expect((await patch(domain.id, { dmarc_policy: "reject" })).status).toBe(200);
    expect(await policyIn(domain)).toBe("none");
    await tendZones(at(2 * MINUTE));
    expect(await policyIn(domain)).toBe("reject");
  });

  it("is refused for a domain whose record is the customer's own, with what to do", async () => {
    const domain = await register("manual");
    const response = await patch(domain.id, { dmarc_policy: "reject" });
    expect([response.status, await response.json()]).toEqual([
      422,
      {
        detail: [
          expect.objectContaining({
            loc: ["body", "dmarc_policy"],
            msg: `dmarc_policy is for delegated domains; change the record at _dmarc.${domain.name} yourself`,
          }),
        ],
      },
    ]);
    const both = await patch(domain.id, { setup: "manual", dmarc_policy: "none" });
    expect([both.status, domain.dmarc_policy]).toEqual([422, null]);
  });

  it("is changed by those who may manage domains alone, and only to a known policy", async () => {
    const domain = await register("delegated");
    const stranger = await aWorkspace();
    const viewer = await aKey(workspace, { scopes: ["domains:view"] });
    const statusOf = async (body: object, key?: string, id = domain.id) => (await patch(id, body, key)).status;
    const reject = { dmarc_policy: "reject" };
    expect(await statusOf(reject, stranger.apiKey)).toBe(404);
    expect(await statusOf(reject, undefined, testContext().newId())).toBe(404);
    expect(await statusOf(reject, viewer)).toBe(403);
    expect(await statusOf(reject, (await aMember(workspace, "member")).apiKey)).toBe(403);
    const bodies = [
      { dmarc_policy: "strict" },
      { dmarc_policy: null },
      { dmarc_policy: ["none"] },
      { policy: "none" },
      {},
    ];
    for (const body of bodies) expect([body, await statusOf(body)]).toEqual([body, 422]);
    expect((await get(domain.id)).dmarc_policy).toBe("none");
  });

  it("has a page with what its reports say, which sets it", async () => {
    const domain = await register("delegated");
    const session = await aSession(workspace);
    const path = `/app/domains/${domain.id}`;
    expect(await (await session.get(path)).text()).toContain(`href="${path}/dmarc"`);
    expect(await (await session.get(`${path}/dmarc`)).text()).toContain("No reports have come yet.");
    expect(await (await session.get(`${path}/reports`)).text()).toContain(`href="${path}/dmarc"`);
    const set = await submit(session, `${path}/dmarc`, { dmarc_policy: "reject" });
    expect(set.headers.get("Location")).toBe(`${path}?done=policy`);
    expect((await get(domain.id)).dmarc_policy).toBe("reject");
    expect((await submit(session, `${path}/dmarc`, { dmarc_policy: "strict" })).status).toBe(422);
    const manual = `/app/domains/${(await register("manual")).id}`;
    expect((await session.get(`${manual}/dmarc`)).headers.get("Location")).toBe(manual);
    const stranger = await aSession(await aWorkspace());
    expect((await stranger.get(`${path}/dmarc`)).status).toBe(404);
  });
});
