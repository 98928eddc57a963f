/** Mistakes with the CNAMEs of delegated domains and of hosts, and shapes of such domains without one. */

import { describe, expect, it } from "vitest";
import { tendZones } from "../../../src/domains/domains/index.ts";
import type { DomainOut } from "../../../src/domains/domains/schema.ts";
import { database } from "../../support/databases.ts";
import { publish, replace, unpublish } from "../../support/dns-control.ts";
import { publishRecords, uniqueDomainName } from "../../support/domains.ts";
import { hostSettings } from "../../support/hostnames.ts";
import { settingsOfZone } from "../../support/test-zones.ts";
import { apiOn, aWorkspace, testContext } from "../../support/workspace.ts";
import { aHostWorkspace, domainOf, verifyWith } from "../hosts/support.ts";
import { Patient } from "./support.ts";

const DAY = 24 * 3_600_000;
const settings = settingsOfZone("health-zone.test");

/** A verified delegated domain with all its CNAMEs, on a deployment with or without hosts. */
async function aDelegatedPatient(bindings: Record<string, unknown> = settings): Promise<Patient> {
  const workspace = await aWorkspace();
  const api = apiOn(bindings, workspace.apiKey);
  const registered = await api.post("/v1/domains/", { name: uniqueDomainName(), setup: "delegated" });
  const domain = await registered.json<DomainOut>();
  await tendZones(testContext(bindings));
  await publishRecords(domain);
  const verified = await (await api.post(`/v1/domains/${domain.id}/verify`, undefined)).json<DomainOut>();
  expect(verified.status).toBe("verified");
  // The host of a policy is active after two more steps.
  for (let n = 0; n < 2 && "HOSTNAME_TARGET" in bindings; n++) await verifyWith(api, domain.id);
  return new Patient(workspace, verified, bindings);
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

describe("a fault of DMARC is mended by the CNAME of the record list, and by no TXT record", () => {
  const texts: [string, (patient: Patient) => string[], string[]][] = [
    ["no record", () => [], ["dmarc_missing"]],
    ["two records", () => ["v=DMARC1; p=none", "v=DMARC1; p=reject"], ["dmarc_several"]],
    ["a misspelled record", () => ["v=dmarc1 p=none"], ["dmarc_syntax"]],
    ["a record without reports", () => ["v=DMARC1; p=none"], ["dmarc_no_reports"]],
    [
      "the record of another domain here",
      ({ reportAddress }) => [`v=DMARC1; p=none; rua=mailto:x${reportAddress}`],
      ["dmarc_rua_of_other_domain"],
    ],
  ];

  it.each(texts)("%s", async (_, valuesOf, codes) => {
    const patient = await aDelegatedPatient();
    const { name, value } = patient.record("dmarc");
    await patient.txt("dmarc", ...valuesOf(patient));
    const findings = await findingsOf(patient);
    expect(findings.map(({ code }) => code)).toEqual(codes);
    expect(findings[0]?.text).toContain(`the CNAME record`);
    expect(findings[0]?.text).toContain(`with the value "${value}"`);
    expect(findings[0]?.text).not.toContain("TXT");
    await replace(name, [{ type: "CNAME", name, value }]);
    expect(await findingsOf(patient)).toEqual([]);
  });

  it("a record at the domain itself", async () => {
    const patient = await aDelegatedPatient();
    const { name, value } = patient.record("dmarc");
    await unpublish(name);
    await publish([{ type: "TXT", name: patient.name, value: "v=DMARC1; p=none" }]);
    const [finding] = await findingsOf(patient);
    expect(finding).toMatchObject({ code: "dmarc_missing", text: expect.stringContaining(`"${value}"`) });
    expect(finding?.text).toContain("Delete it, and publish the CNAME record");
  });
});

describe("a fault of MTA-STS is mended by the CNAMEs of the record list", () => {
  const hosted = { ...settings, ...hostSettings() };
  const faults: [string, string, string[]][] = [
    ["an own record that is not valid", "mta_sts_id", ["v=STSv1; id=not-valid"]],
    ["no record for TLS reports", "tls_reports", []],
    ["an own record for TLS reports that is not valid", "tls_reports", ["v=TLSRPTv1; rua=me"]],
  ];

  it.each(faults)("%s", async (_, purpose, values) => {
    const patient = await aDelegatedPatient(hosted);
    expect(await findingsOf(patient)).toEqual([]);
    const { name, value } = patient.record(purpose);
    await patient.txt(purpose, ...values);
    const findings = await findingsOf(patient);
    expect(findings).toHaveLength(1);
    expect(findings[0]?.text).toMatch(/the CNAME record .*with the value/);
    expect(findings[0]?.text).toContain(`"${value}"`);
    expect(findings[0]?.text).not.toContain("TXT");
    await replace(name, [{ type: "CNAME", name, value }]);
    expect(await findingsOf(patient)).toEqual([]);
  });

  it("an own policy of a domain whose mail goes elsewhere is none: it keeps its own record", async () => {
    const patient = await aDelegatedPatient(hosted);
    await replace(patient.name, [{ type: "MX", name: patient.name, value: "mx.elsewhere.example", priority: 10 }]);
    await verifyWith(apiOn(hosted, patient.workspace.apiKey), patient.domain.id);
    await patient.txt("mta_sts_id", "v=STSv1; id=not-valid");
    const of = (await findingsOf(patient)).filter(({ code }) => code === "mta_sts_invalid");
    expect(of).toMatchObject([{ text: expect.stringContaining("Publish one TXT record") }]);
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
    await database.run("UPDATE dkim_keys SET public_key = public_key || 'AB' WHERE domain_id = ?1 AND selector <> ?2", [
      patient.domain.id,
      first,
    ]);
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
