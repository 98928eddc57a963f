import { describe, expect, it } from "vitest";
import { failQueries, queries, replace } from "../../support/dns-control.ts";
import { publishRecords, register, statusesOf, uniqueDomainName, verify } from "../../support/domains.ts";
import { aWorkspace, testContext } from "../../support/workspace.ts";

const { spfDomain } = testContext().settings;
const txt = (name: string, ...values: string[]) =>
  replace(
    name,
    values.map((value) => ({ type: "TXT" as const, name, value })),
  );

/** A domain below another one, with the required records; returns the statuses of its records after a check. */
async function statusesWith(publish: (name: string, above: string) => Promise<unknown>) {
  const workspace = await aWorkspace();
  const above = uniqueDomainName();
  const domain = await register(workspace, `mail.${above}`);
  await publishRecords(domain, ["ownership", "dkim"]);
  await publish(domain.name, above);
  const { domain: checked } = await verify(workspace, domain.id);
  const { findings } = await (await workspace.get(`/v1/domains/${domain.id}/health`)).json<{
    findings: { code: string }[];
  }>();
  return { statuses: statusesOf(checked), codes: findings.map(({ code }) => code) };
}

describe("the DMARC record in the list", () => {
  it("is verified by the policy of the domain above, as its health says", async () => {
    const found = await statusesWith((_, above) => txt(`_dmarc.${above}`, "v=DMARC1; p=reject"));
    expect(found.statuses.dmarc).toBe("verified");
    expect(found.codes).not.toContain("dmarc_missing");
  });

  it("is missing without one, as its health says", async () => {
    const found = await statusesWith(async () => {});
    expect(found.statuses.dmarc).toBe("missing");
    expect(found.codes).toContain("dmarc_missing");
  });

  it("keeps its status while DNS does not respond above the domain", async () => {
    const found = await statusesWith((_, above) => failQueries(`_dmarc.${above}`, "servfail"));
    expect(found.statuses.dmarc).toBe("pending");
  });
});

describe("the SPF record in the list", () => {
  it.each([
    ["redirects to the service", `v=spf1 redirect=${spfDomain}`],
    ["permits all", "v=spf1 +all"],
  ])("is verified when it %s, as its health says", async (_, record) => {
    const found = await statusesWith((name) => txt(name, record));
    expect(found.statuses.spf).toBe("verified");
    expect(found.codes).not.toContain("spf_without_service");
  });

  it("is verified when a record that it includes has the service", async () => {
    const found = await statusesWith(async (name, above) => {
      await txt(`spf.${above}`, `v=spf1 include:${spfDomain} -all`);
      await txt(name, `v=spf1 include:spf.${above} -all`);
    });
    expect(found.statuses.spf).toBe("verified");
    expect(found.codes).not.toContain("spf_without_service");
  });

  it.each([
    ["has others only", "v=spf1 ip4:192.0.2.1 -all"],
    ["has the service after all", `v=spf1 -all include:${spfDomain}`],
    ["has the service with a minus", `v=spf1 -include:${spfDomain} ~all`],
  ])("is a mismatch when it %s, as its health says", async (_, record) => {
    const found = await statusesWith((name) => txt(name, record));
    expect(found.statuses.spf).toBe("mismatch");
    expect(found.codes).toContain("spf_without_service");
  });

  it("causes a bounded number of queries, whatever it includes", async () => {
    const names: string[] = [];
    const found = await statusesWith(async (name, above) => {
      names.push(...Array.from({ length: 30 }, (_, n) => `s${n}.${above}`));
      for (const [n, at] of names.entries()) await txt(at, `v=spf1 include:s${n + 1}.${above} -all`);
      await txt(name, `v=spf1 include:s0.${above} -all`);
    });
    expect(found.statuses.spf).toBe("mismatch");
    const asked = await Promise.all(names.map((at) => queries(at)));
    expect(asked.filter((count) => count > 0).length).toBeLessThanOrEqual(16);
  });

  it("with the name of the service itself causes no further query", async () => {
    const other = `other-${crypto.randomUUID().slice(0, 8)}.test`;
    const found = await statusesWith((name) => txt(name, `v=spf1 include:${other} include:${spfDomain} ~all`));
    expect(found.statuses.spf).toBe("verified");
    // That of the health alone.
    expect(await queries(other)).toBe(1);
  });
});
