import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { app } from "../../../src/app.ts";
import { tendZones } from "../../../src/domains/domains/index.ts";
import type { DomainOut } from "../../../src/domains/domains/schema.ts";
import { newDelegation } from "../../../src/domains/zones/index.ts";
import { database } from "../../support/databases.ts";
import { failApi, failQueries, resizeZone, restoreQueries, zoneRecords } from "../../support/dns-control.ts";
import { publishRecords, uniqueDomainName } from "../../support/domains.ts";
import { settingsOfZone, TEST_ZONES } from "../../support/test-zones.ts";
import { apiOn, apiWith, aWorkspace, type TestWorkspace, testContext } from "../../support/workspace.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const [full, late, slow] = TEST_ZONES;

const contextOf = (settings: Record<string, unknown>, ms = 0) => testContext(settings, () => Date.now() + ms);
const registration = (name = uniqueDomainName()) => ({ name, setup: "delegated" });

/** Registers a delegated domain in a deployment that has one zone; what follows the response has been done. */
async function delegate(workspace: TestWorkspace, settings: Record<string, unknown>): Promise<DomainOut> {
  const response = await apiOn(settings, workspace.apiKey).post("/v1/domains/", registration());
  expect(response.status).toBe(201);
  return response.json<DomainOut>();
}

const stateOf = ({ id }: DomainOut) =>
  database.row(
    `SELECT count(*) AS records, count(written_at) AS written, count(confirmed_at) AS confirmed, count(due_at) AS due,
         (SELECT count(published_at) FROM dkim_keys WHERE domain_id = ?1) AS published FROM zone_records WHERE domain_id = ?1`,
    [id],
  );

describe("a zone that is full", () => {
  const settings = settingsOfZone(full.name);
  afterEach(() => resizeZone(full.id, full.maxRecords));

  it("gets no new domain for a day, which is a 503 with Retry-After that leaves nothing behind", async () => {
    const workspace = await aWorkspace();
    const first = await delegate(workspace, settings);
    expect(await stateOf(first)).toMatchObject({ records: 3, written: 2, due: 1 });
    const rowsOf = (name: string) =>
      database
        .prepare(
          `SELECT (SELECT count(*) FROM domains WHERE name = ?1) + (SELECT count(*) FROM audit_log WHERE detail LIKE '%' || ?1 || '%')
             + (SELECT count(*) FROM zone_records WHERE domain_id NOT IN (SELECT id FROM domains))
             + (SELECT count(*) FROM dkim_keys WHERE domain_id NOT IN (SELECT id FROM domains)) AS n`,
        )
        .bind(name)
        .first("n");
    const refused = registration();
    const response = await apiOn(settings, workspace.apiKey).post("/v1/domains/", refused);
    expect([response.status, response.headers.get("Retry-After")]).toEqual([503, "3600"]);
    expect(await response.json()).toMatchObject({ detail: expect.stringContaining("No zone of the service has room") });
    expect(await rowsOf(refused.name)).toBe(0);
    expect(await newDelegation(contextOf(settings, 23 * HOUR))).toBeNull();
    expect(await newDelegation(contextOf(settings, 25 * HOUR))).toMatchObject({ zone: full.name });
    // The operator takes a larger plan.
    await resizeZone(full.id, 3_500);
    await tendZones(contextOf(settings, HOUR));
    expect(await stateOf(first)).toMatchObject({ records: 3, confirmed: 3, due: 0, published: 2 });
  });

  it("still takes changes of the records that it has, in the run that finds it full", async () => {
    const workspace = await aWorkspace();
    await database.run("UPDATE zones SET full_at = NULL");
    await resizeZone(full.id, 3_500);
    const first = await delegate(workspace, settings);
    await resizeZone(full.id, (await zoneRecords(full.name)).length);
    const second = await delegate(workspace, settings);
    await failApi(full.id, "down");
    const { call } = apiOn(settings, workspace.apiKey);
    expect((await call("PATCH", `/v1/domains/${first.id}`, { dmarc_policy: "reject" })).status).toBe(200);
    await failApi(full.id, null);
    const due = "UPDATE zone_records SET due_at = (domain_id = ?1) WHERE due_at IS NOT NULL";
    await database.prepare(due).bind(first.id).run();
    await tendZones(contextOf(settings));
    expect(await stateOf(second)).toMatchObject({ written: 0, due: 3 });
    expect(await stateOf(first)).toMatchObject({ confirmed: 3, due: 0 });
    const contents = (await zoneRecords(full.name)).map(({ content }) => content);
    expect(contents.filter((content) => content.includes("p=reject"))).toHaveLength(1);
  });

  it("has no room when its plan has none, before a call of the API", async () => {
    const workspace = await aWorkspace();
    const small = { DELEGATED_ZONES: `small-zone.test=1:20 ${full.name}=${full.id}:20` };
    await database.run("INSERT INTO zones (name, records) VALUES ('small-zone.test', 3)");
    await database.run("UPDATE zones SET full_at = NULL WHERE name = ?1", [full.name]);
    const response = await apiOn(small, workspace.apiKey).post("/v1/domains/", registration());
    expect(response.status).toBe(503);
  });
});

describe("a record that DNS does not show yet", () => {
  const settings = settingsOfZone(late.name);

  it("is not confirmed, and its key does not sign before DNS has shown it", async () => {
    const workspace = await aWorkspace();
    await failQueries(late.name, "nxdomain");
    const domain = await delegate(workspace, settings);
    await publishRecords(domain);
    expect(await stateOf(domain)).toEqual({ records: 3, written: 3, confirmed: 0, due: 3, published: 0 });
    const verify = () => apiOn(settings, workspace.apiKey).post(`/v1/domains/${domain.id}/verify`, undefined);
    expect(await (await verify()).json()).toMatchObject({ status: "pending" });
    await restoreQueries(late.name);
    await tendZones(contextOf(settings, MINUTE));
    expect(await stateOf(domain)).toMatchObject({ confirmed: 3, due: 0, published: 2 });
    expect(await (await verify()).json()).toMatchObject({ status: "verified" });
    expect(await zoneRecords(late.name)).toHaveLength(5);
  });
});

describe("a DNS API that does not respond", () => {
  const settings = settingsOfZone(slow.name);
  afterEach(async () => {
    vi.restoreAllMocks();
    await failApi(slow.id, null);
  });

  it("delays neither the registration, nor a check, nor a change of the set-up", async () => {
    const workspace = await aWorkspace();
    await failApi(slow.id, "slow");
    const execution = createExecutionContext();
    const { post, call } = apiWith(workspace.apiKey, async (request) =>
      app.fetch(request, { ...env, ...settings } as Env, execution),
    );
    // A call of the API gives up when the test says so, not after its 8 s: whatever waited for one would never respond.
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    const giveUp = new AbortController();
    vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => (ms === 8_000 ? giveUp.signal : timeout(ms)));
    const domain = await (await post("/v1/domains/", registration())).json<DomainOut>();
    const statuses = [
      (await post(`/v1/domains/${domain.id}/verify`, undefined)).status,
      (await call("PATCH", `/v1/domains/${domain.id}`, { setup: "manual" })).status,
      (await call("PATCH", `/v1/domains/${domain.id}`, { setup: "delegated" })).status,
    ];
    expect(statuses).toEqual([200, 200, 200]);
    expect(AbortSignal.timeout).toHaveBeenCalledWith(8_000);
    giveUp.abort();
    await waitOnExecutionContext(execution);
    expect(await zoneRecords(slow.name)).toEqual([]);
  });
});

describe("a delegated domain that becomes manual before a key has signed", () => {
  it("leaves its zone, and gets other names when it is delegated again", async () => {
    const settings = settingsOfZone(late.name);
    const workspace = await aWorkspace();
    const domain = await delegate(workspace, settings);
    const { call } = apiOn(settings, workspace.apiKey);
    const change = async (setup: string) =>
      (await call("PATCH", `/v1/domains/${domain.id}`, { setup })).json<DomainOut>();
    const manual = await change("manual");
    const dkim = ({ records }: DomainOut) => records.filter(({ purpose }) => purpose === "dkim");
    expect(dkim(manual).map(({ type }) => type)).toEqual(["TXT", "TXT"]);
    const before = dkim(domain).map(({ value }) => value);
    const left = async () => (await zoneRecords(late.name)).filter(({ name }) => before.includes(name));
    await tendZones(contextOf(settings));
    await tendZones(contextOf(settings, 13 * DAY));
    expect(await left()).toHaveLength(2);
    await tendZones(contextOf(settings, 15 * DAY));
    expect(await left()).toEqual([]);
    const again = await change("delegated");
    expect(dkim(again).map(({ type }) => type)).toEqual(["CNAME", "CNAME"]);
    expect(dkim(again).filter(({ value }) => before.includes(value))).toEqual([]);
  });
});
