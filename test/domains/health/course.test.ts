import { describe, expect, it } from "vitest";
import { findDomainWithKeys, recheckDomains } from "../../../src/domains/domains/index.ts";
import { evaluateHealth } from "../../../src/domains/health/index.ts";
import { DAY_MS, HOUR_MS } from "../../../src/lib/time.ts";
import { database } from "../../support/databases.ts";
import { failQueries, publish, restoreQueries } from "../../support/dns-control.ts";
import { publishRecords, register, verify } from "../../support/domains.ts";
import { perTest, testContext } from "../../support/workspace.ts";
import { aPatient } from "./support.ts";

const patient = perTest(aPatient);

async function notices(): Promise<{ title: string; body: string; href: string; severity: string }[]> {
  const results = await database.rows<{ title: string; body: string; href: string; severity: string }>(
    "SELECT title, body, href, severity FROM notifications WHERE workspace = ?1 ORDER BY id",
    [patient.workspace.workspaceNumber],
  );
  return results.filter(({ title }) => title.includes(patient.name));
}

const examineAfter = (ms: number) => {
  patient.now += ms;
  return patient.examine();
};
const codes = async (ms = 0) => (await examineAfter(ms)).findings.map(({ code }) => code);

describe("a finding", () => {
  it("keeps the date on which it began, and is gone when it is mended", async () => {
    await patient.apex({ spf: [] });
    const began = patient.now;
    expect(await codes()).toEqual(["spf_missing"]);
    const [later] = (await examineAfter(3 * DAY_MS)).findings;
    expect(later?.since).toBe(new Date(began).toISOString());
    await patient.apex({});
    expect(await codes(HOUR_MS)).toEqual([]);
  });

  it("notifies the owners once when it appears, all findings of a day in one notification", async () => {
    await patient.apex({ spf: [] });
    await patient.remove("return_path");
    for (let day = 0; day < 3; day++) await examineAfter(DAY_MS);
    const found = await notices();
    expect(found).toEqual([
      {
        title: `2 problems with ${patient.name} have appeared`,
        body: expect.stringContaining("has no SPF record"),
        href: `/domains/${patient.domain.id}/health`,
        severity: "warning",
      },
    ]);
  });

  it("that comes back within a day has its old date and causes no second notification; after a day it is new", async () => {
    await patient.apex({ spf: [] });
    const [first] = (await examineAfter(0)).findings;
    await patient.apex({});
    expect(await codes(HOUR_MS)).toEqual([]);
    await patient.apex({ spf: [] });
    const [again] = (await examineAfter(HOUR_MS)).findings;
    expect(again?.since).toBe(first?.since);
    expect(await notices()).toHaveLength(1);
    await patient.apex({});
    await examineAfter(HOUR_MS);
    await examineAfter(2 * DAY_MS);
    await patient.apex({ spf: [] });
    const [late] = (await examineAfter(HOUR_MS)).findings;
    expect(late?.since).toBe(new Date(patient.now).toISOString());
    expect(await notices()).toHaveLength(2);
  });

  it.each(["servfail", "garbage", "http-error"] as const)(
    "neither appears nor goes while DNS fails (%s)",
    async (failure) => {
      await failQueries(patient.name, failure);
      expect(await codes()).toEqual([]);
      await restoreQueries(patient.name);
      await patient.apex({ spf: [] });
      await patient.remove("dkim");
      const before = await examineAfter(HOUR_MS);
      expect(before.findings.map(({ code }) => code)).toEqual(["dkim_missing", "spf_missing"]);
      await failQueries(patient.name, failure);
      expect((await examineAfter(DAY_MS)).findings).toEqual(before.findings);
      await restoreQueries(patient.name);
    },
  );

  it("of name servers that give no answer appears after thirty hours, and goes with their first answer", async () => {
    await failQueries(patient.name, "servfail");
    expect(await codes(29 * HOUR_MS)).toEqual([]);
    const [silent, ...others] = (await examineAfter(2 * HOUR_MS)).findings;
    expect(silent).toMatchObject({ code: "dns_silent", severity: "error" });
    expect(silent?.action).toMatch(/registration .* name servers .* DS record/);
    expect(silent?.evidence.join()).toContain("rcode 2");
    expect(others).toEqual([]);
    expect(await notices()).toMatchObject([{ severity: "error" }]);
    await restoreQueries(patient.name);
    expect(await codes(HOUR_MS)).toEqual([]);
  });

  it("of DNS is found by the daily check, and two checks at once store and notify once", async () => {
    await patient.remove("dmarc");
    const now = Date.now() + DAY_MS + 1;
    await Promise.all(
      [1, 2, 3].map(() =>
        recheckDomains(
          testContext({}, () => now),
          evaluateHealth,
        ),
      ),
    );
    expect((await patient.health()).findings.map(({ code }) => code)).toEqual(["dmarc_missing"]);
    expect(await notices()).toMatchObject([{ title: `A problem with ${patient.name} has appeared` }]);
  });

  it("that exists when a domain is verified first is shown, without a notification", async () => {
    const domain = await register(patient.workspace);
    await publishRecords(domain, ["ownership", "dkim"]);
    const { domain: verified } = await verify(patient.workspace, domain.id);
    expect(verified).toMatchObject({ status: "verified", health: "warning" });
    expect(await notices()).toEqual([]);
  });

  it("of old DKIM keys appears after a year", async () => {
    expect(await codes(364 * DAY_MS)).toEqual([]);
    expect(await codes(2 * DAY_MS)).toEqual(["dkim_key_old"]);
  });

  it("of a rotation appears when its records are missing for a week", async () => {
    await patient.workspace.post(`/v1/domains/${patient.domain.id}/dkim/rotate`, undefined);
    expect(await codes(6 * DAY_MS)).toEqual([]);
    expect(await codes(2 * DAY_MS)).toEqual(["dkim_rotation_waiting"]);
  });

  it("of MX appears only when mailboxes of the domain receive mail here", async () => {
    await patient.apex({ mx: [] });
    const { id } = await patient.workspace.create("/v1/mailboxes/", {
      domain_id: patient.domain.id,
      local_part: "hello",
    });
    expect(await codes()).toEqual([]);
    await database.run("UPDATE mailboxes SET used_bytes = 10 WHERE id = ?1", [id]);
    expect(await codes(HOUR_MS)).toEqual(["mx_missing"]);
  });
});

describe("the health of a domain", () => {
  it("is unknown before it was examined, and not found in another workspace", async () => {
    const domain = await register(patient.workspace);
    expect(domain).toMatchObject({ health: "unknown" });
    const response = await patient.workspace.get(`/v1/domains/${domain.id}/health`);
    expect(await response.json()).toEqual({ status: "unknown", checked_at: null, findings: [] });
    const other = await aPatient();
    expect((await other.workspace.get(`/v1/domains/${domain.id}/health`)).status).toBe(404);
  });

  it("a blocklist that has the domain is a finding, and an error of the list is none", async () => {
    const [lists, broken] = [`l${patient.name}`, `b${patient.name}`];
    await publish([
      { type: "A", name: `${patient.name}.${lists}`, value: "127.0.1.2" },
      { type: "A", name: `${patient.name}.${broken}`, value: "127.255.255.254" },
    ]);
    const found = await findDomainWithKeys(testContext(), patient.domain.id);
    if (!found) throw new Error("the domain is gone");
    await evaluateHealth(testContext({ DOMAIN_BLOCKLISTS: `${lists} ${broken}` }), found, true);
    expect((await patient.health()).findings).toMatchObject([
      { code: "blocklisted", subject: lists, severity: "error" },
    ]);
  });
});
