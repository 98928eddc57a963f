/** Mistakes with the CNAMEs of delegated domains and of hosts, and shapes of such domains without one. */

import { describe, expect, it } from "vitest";
import { tendZones } from "../../../src/domains/domains/index.ts";
import type { DomainOut } from "../../../src/domains/domains/schema.ts";
import { database } from "../../support/databases.ts";
import { replace, unpublish } from "../../support/dns-control.ts";
import { publishRecords, uniqueDomainName } from "../../support/domains.ts";
import { hostSettings } from "../../support/hostnames.ts";
import { settingsOfZone } from "../../support/test-zones.ts";
import { apiOn, aWorkspace, testContext } from "../../support/workspace.ts";
import { aHostWorkspace, domainOf, verifyWith } from "../hosts/support.ts";
import { Patient } from "./support.ts";

const DAY = 24 * 3_600_000;
const settings = settingsOfZone("health-zone.test");
const contextIn = (ms: number) => testContext(settings, () => Date.now() + ms);

/** A verified delegated domain with all its CNAMEs. */
async function aDelegatedPatient(): Promise<Patient> {
  const workspace = await aWorkspace();
  const api = apiOn(settings, workspace.apiKey);
  const registered = await api.post("/v1/domains/", { name: uniqueDomainName(), setup: "delegated" });
  const domain = await registered.json<DomainOut>();
  await tendZones(contextIn(0));
  await publishRecords(domain);
  const verified = await (await api.post(`/v1/domains/${domain.id}/verify`, undefined)).json<DomainOut>();
  expect(verified.status).toBe("verified");
  return new Patient(workspace, verified, settings);
}

const selectorsOf = ({ domain }: Patient) => domain.records.filter(({ purpose }) => purpose === "dkim");

/** Returns the record of the selector that signs after the next rotation. */
function nextSelector(patient: Patient): DomainOut["records"][number] {
  const next = selectorsOf(patient).find(({ required }) => !required);
  if (!next) throw new Error("two selectors expected");
  return next;
}

async function findingsOf(patient: Patient) {
  return (await patient.examine()).findings.map(({ code, problem, action }) => ({
    code,
    text: `${problem} ${action}`,
  }));
}

describe("a wrong CNAME of the selector that signs next is named at once", () => {
  const mistakes: [string, (patient: Patient, name: string, value: string) => Promise<unknown>, RegExp[]][] = [
    [
      "it leads below the domain, without its final dot",
      (p, name, value) => replace(name, [{ type: "CNAME", name, value: `${value}.${p.name}` }]),
      [/leads to s2\.[0-9a-f]+\.health-zone\.test\.d/, /Publish a CNAME at svc-2-/],
    ],
    [
      "it is that of the other selector",
      (p, name) => replace(name, [{ type: "CNAME", name, value: selectorsOf(p)[0]?.value ?? "" }]),
      [/leads to s1\./, /with the value "s2\./],
    ],
    [
      "a copy of a key stands in its place",
      (_, name) => replace(name, [{ type: "TXT", name, value: "v=DKIM1; k=rsa; p=MIIB" }]),
      [/other records in place of a CNAME/, /with the value "s2\./],
    ],
    ["it was removed", (_, name) => unpublish(name), [/is missing/, /with the value "s2\./]],
  ];

  it.each(mistakes)("%s", async (_, plant, says) => {
    const patient = await aDelegatedPatient();
    const { name, value } = nextSelector(patient);
    await plant(patient, name, value);
    const findings = await findingsOf(patient);
    expect(findings).toMatchObject([{ code: "dkim_rotation_waiting" }]);
    for (const words of says) expect(findings[0]?.text).toMatch(words);
    await replace(name, [{ type: "CNAME", name, value }]);
    expect(await findingsOf(patient)).toEqual([]);
  });
});

it("a host of links that is blocked is named, with whom to ask", async () => {
  const made = await aHostWorkspace("blocked-");
  for (let n = 0; n < 3; n++) await verifyWith(made.api, made.domainId);
  const domain = await domainOf(made.api, made.domainId);
  const findings = await findingsOf(new Patient(made, domain, hostSettings()));
  expect(findings).toMatchObject([{ code: "host_failed" }]);
  for (const words of [
    made.host,
    /host of the service until it can be used again/,
    /an abuse block holds it. Ask the operator/,
  ])
    expect(findings[0]?.text).toMatch(words);
});

describe("a delegated domain without a mistake has no finding", () => {
  it("with all its CNAMEs", async () => {
    expect(await findingsOf(await aDelegatedPatient())).toEqual([]);
  });

  it("whose next key is new, while resolvers still have the one before", async () => {
    const patient = await aDelegatedPatient();
    const first = selectorsOf(patient)[0]?.name.split(".")[0];
    await database
      .prepare("UPDATE dkim_keys SET public_key = public_key || 'AB' WHERE domain_id = ?1 AND selector <> ?2")
      .bind(patient.domain.id, first)
      .run();
    expect(await findingsOf(patient)).toEqual([]);
  });

  it("that has just changed from values by hand, and has not published its CNAMEs yet", async () => {
    const workspace = await aWorkspace();
    const api = apiOn(settings, workspace.apiKey);
    const manual = await (await api.post("/v1/domains/", { name: uniqueDomainName() })).json<DomainOut>();
    await publishRecords(manual);
    await api.post(`/v1/domains/${manual.id}/verify`, undefined);
    const change = await api.call("PATCH", `/v1/domains/${manual.id}`, { setup: "delegated" });
    const patient = new Patient(workspace, await change.json<DomainOut>(), settings);
    const codes = (await findingsOf(patient)).map(({ code }) => code);
    expect(codes.filter((code) => code.startsWith("dkim_"))).toEqual([]);
    patient.now += 8 * DAY;
    expect((await findingsOf(patient)).map(({ code }) => code)).toContain("dkim_rotation_waiting");
  });
});
