import { describe, expect, it } from "vitest";
import { parsePolicy, policyId } from "../../../smtp-egress/mta-sts-policy.ts";
import { tendZones, toZoneFile } from "../../../src/domains/domains/index.ts";
import type { DomainOut } from "../../../src/domains/domains/schema.ts";
import type { HealthOut } from "../../../src/domains/health/index.ts";
import { database } from "../../support/databases.ts";
import { publish, replace, unpublish, zoneRecords } from "../../support/dns-control.ts";
import { publishRecords, uniqueDomainName, verify } from "../../support/domains.ts";
import { hostSettings } from "../../support/hostnames.ts";
import { settingsOfZone } from "../../support/test-zones.ts";
import { apiOn, aWorkspace, testContext } from "../../support/workspace.ts";
import { requestAt } from "./support.ts";

const ZONE = "sts-zone.test";
const settings = { ...settingsOfZone(ZONE), ...hostSettings() };
const ID_RECORD = `_mta-sts.${ZONE}`;
const tend = (ms = 0) => tendZones(testContext(settings, () => Date.now() + ms));

/** Returns the id of all policies, as senders find it once the job has run. */
async function publishedId() {
  await tend();
  const found = await zoneRecords(ID_RECORD);
  return policyId(found.filter(({ name }) => name === ID_RECORD).map(({ content }) => content.replaceAll('"', "")));
}

/** A domain whose mail comes here, with an active host for its policy. */
async function aDomain(setup: "delegated" | "manual") {
  const workspace = await aWorkspace();
  const api = { ...workspace, ...apiOn(settings, workspace.apiKey) };
  const response = await api.post("/v1/domains/", { name: uniqueDomainName(), setup });
  const { id } = await response.json<DomainOut>();
  const get = async () => (await api.get(`/v1/domains/${id}`)).json<DomainOut>();
  await tend();
  await publishRecords(await get());
  await verify(api, id);
  await publishRecords(await get(), ["mta_sts", "mta_sts_id", "tls_reports"]);
  for (let n = 0; n < 3; n += 1) await verify(api, id);
  const domain = await get();
  expect(domain.mta_sts?.mode).toBe("testing");
  return { api, id, domain, get };
}

type Made = Awaited<ReturnType<typeof aDomain>>;
const setMode = async ({ api, id }: Made, mode: string) =>
  expect((await api.call("PATCH", `/v1/domains/${id}`, { mta_sts: mode })).status).toBe(200);
const RECEIVING = ["mta_sts", "mta_sts_id", "tls_reports"];
const hostsOf = async (domainId: string) => {
  const read = database.prepare("SELECT name FROM custom_hosts WHERE domain_id = ?1 ORDER BY name").bind(domainId);
  return (await read.all<{ name: string }>()).results.map(({ name }) => name);
};
const recordOf = ({ records }: DomainOut, purpose: string) => records.find((record) => record.purpose === purpose);

describe("the MTA-STS records of a delegated domain", () => {
  it("are CNAMEs that are found, and lead to the texts that all delegated domains share", async () => {
    const { domain } = await aDomain("delegated");
    expect(recordOf(domain, "mta_sts")).toMatchObject({ type: "CNAME", value: "links.zone.test", status: "verified" });
    expect(recordOf(domain, "mta_sts_id")).toMatchObject({ type: "CNAME", value: ID_RECORD, status: "verified" });
    expect(recordOf(domain, "tls_reports")).toMatchObject({
      ...{ type: "CNAME", value: `_smtp._tls.${ZONE}`, status: "verified" },
    });
    await tend();
    const [reports] = await zoneRecords(`_smtp._tls.${ZONE}`);
    const address = `tls-reports@${testContext(settings).settings.bounceDomain}`;
    expect(reports?.content.replaceAll('"', "")).toBe(`v=TLSRPTv1; rua=mailto:${address}`);
    expect(await publishedId()).toMatch(/^[0-9a-z]{9,32}$/);
  });

  it("are listed from the registration on, in the zone file too, and nothing is served before mail comes here", async () => {
    const workspace = await aWorkspace();
    const api = { ...workspace, ...apiOn(settings, workspace.apiKey) };
    const response = await api.post("/v1/domains/", { name: uniqueDomainName(), setup: "delegated" });
    const registered = await response.json<DomainOut>();
    const { id, name } = registered;
    await tend();
    for (const purpose of RECEIVING) {
      const record = recordOf(registered, purpose);
      expect(record).toMatchObject({ type: "CNAME", required: false });
      expect(record?.explanation).toContain("matters only if you receive mail here");
      expect(toZoneFile(registered)).toContain(`${record?.name}. IN CNAME ${record?.value}.`);
    }
    await publishRecords({ ...registered, records: registered.records.filter(({ purpose }) => purpose !== "mx") });
    for (let n = 0; n < 3; n += 1) await verify(api, id);
    const sending = await (await api.get(`/v1/domains/${id}`)).json<DomainOut>();
    expect([sending.status, sending.mta_sts, sending.health]).toEqual(["verified", null, "ok"]);
    expect(RECEIVING.map((purpose) => recordOf(sending, purpose)?.status)).toEqual(RECEIVING.map(() => "verified"));
    expect(await hostsOf(id)).toEqual([`links.${name}`]);
    await publishRecords(sending, ["mx"]);
    const { domain } = await verify(api, id);
    expect(domain.mta_sts?.mode).toBe("testing");
    expect(await hostsOf(id)).toEqual([`links.${name}`, `mta-sts.${name}`]);
  });

  it("are no fault when they are missing from a domain that sends only, nor when its mail is moved away", async () => {
    const workspace = await aWorkspace();
    const api = { ...workspace, ...apiOn(settings, workspace.apiKey) };
    const response = await api.post("/v1/domains/", { name: uniqueDomainName(), setup: "delegated" });
    const registered = await response.json<DomainOut>();
    await tend();
    await publishRecords(registered, ["dkim", "return_path", "dmarc", "link_host"]);
    const { domain } = await verify(api, registered.id);
    expect([domain.status, domain.health]).toEqual(["verified", "ok"]);
    expect(recordOf(domain, "mta_sts")).toMatchObject({
      ...{ status: "missing", action: "Publish this record if you receive mail here or will." },
    });
    const made = await aDomain("delegated");
    await publish([{ type: "A", name: "mx.elsewhere.example", value: "192.0.2.9" }]);
    await replace(made.domain.name, [
      { type: "MX", name: made.domain.name, value: "mx.elsewhere.example", priority: 10 },
    ]);
    for (const purpose of RECEIVING) await unpublish(recordOf(made.domain, purpose)?.name ?? "");
    const { domain: moved } = await verify(made.api, made.id);
    expect(moved.mta_sts?.mode).toBe("none");
    const health = await made.api.get(`/v1/domains/${made.id}/health`);
    expect((await health.json<HealthOut>()).findings).toEqual([]);
  });

  it("have another id after each change of the policy of a delegated domain, and the same one otherwise", async () => {
    const made = await aDomain("delegated");
    const ids = [await publishedId()];
    for (const mode of ["enforce", "testing", "enforce"]) {
      await setMode(made, mode);
      ids.push(await publishedId());
    }
    expect(new Set(ids).size).toBe(4);
    await setMode(made, "enforce");
    await verify(made.api, made.id);
    await tend(3_600_000);
    expect(await publishedId()).toBe(ids[3]);
    expect((await made.get()).mta_sts?.mode).toBe("enforce");
    const policy = await requestAt(`mta-sts.${made.domain.name}`, "/.well-known/mta-sts.txt", { bindings: settings });
    expect(parsePolicy(await policy.text())).toMatchObject({ mode: "enforce", mx: ["mx.mail.test"] });
  });

  it("keep their id when the policy of a domain with records by hand changes", async () => {
    const made = await aDomain("manual");
    await aDomain("delegated");
    const before = await publishedId();
    await setMode(made, "enforce");
    expect(await publishedId()).toBe(before);
  });

  it("have another id when the service receives mail at another host", async () => {
    await aDomain("delegated");
    const before = await publishedId();
    const moved = testContext({ ...settings, MX_HOST: "mx2.mail.test" }, () => hourFrom(Date.now()));
    await tendZones(moved);
    const { value } = (await rowOf()) ?? { value: "" };
    expect(policyId([value])).not.toBe(before);
    await tendZones(testContext(settings, () => hourFrom(Date.now()) + 3_600_000));
  });
});

/** Returns the next full hour, at which the job looks at the shared records. */
const hourFrom = (now: number) => Math.ceil(now / 3_600_000) * 3_600_000;

const rowOf = () => database.row<{ value: string }>("SELECT value FROM zone_records WHERE name = ?1", [ID_RECORD]);
