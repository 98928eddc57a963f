import { beforeEach, describe, expect, it } from "vitest";
import { reportAddress } from "../../../src/domains/domains/index.ts";
import { sharedReportAddress } from "../../../src/domains/zones/index.ts";
import { checkRecipient } from "../../../src/mailboxes/inbound/index.ts";
import { database } from "../../support/databases.ts";
import { register } from "../../support/domains.ts";
import { aWorkspace, perTest, testContext } from "../../support/workspace.ts";
import { reportIn } from "../hosts/policy-support.ts";

const { bounceDomain } = testContext().settings;
const to = sharedReportAddress(bounceDomain);
const workspace = perTest(aWorkspace);
let domain: string;

beforeEach(async () => {
  domain = workspace.mailbox.slice(workspace.mailbox.indexOf("@") + 1);
});

const countOf = async (id: string) =>
  database.value<number>("SELECT count(*) AS n FROM domain_reports WHERE domain_id = ?1", [id]);

describe("the address for TLS reports on all delegated domains", () => {
  it("receives mail, in any case of letters", async () => {
    for (const address of [to, to.toUpperCase()])
      expect(await checkRecipient(testContext(), address)).toEqual({ accepted: true, kind: "domain-report" });
  });

  it("counts a report for the domain that it names, once, even when it also came to the address of the domain", async () => {
    const id = crypto.randomUUID();
    const own = reportAddress(workspace.domainId, bounceDomain);
    for (const address of [to, to, own]) expect(await reportIn(0, { to: address, domain, id })).toEqual(["counted"]);
    expect(await countOf(workspace.domainId)).toBe(1);
    const response = await workspace.get(`/v1/domains/${workspace.domainId}/reports?kind=tls`);
    expect(await response.json()).toMatchObject({ sessions: 9, failed: 0 });
  });

  it("counts nothing for a domain that is not verified here, nor for its namesake elsewhere", async () => {
    const other = await aWorkspace();
    const claimed = await register(other, domain);
    const pending = await register(other);
    expect(await reportIn(0, { to, domain: pending.name })).toEqual(["of another domain"]);
    expect(await reportIn(0, { to, domain: "unknown.example" })).toEqual(["of another domain"]);
    await reportIn(0, { to, domain });
    expect([await countOf(pending.id), await countOf(claimed.id)]).toEqual([0, 0]);
  });

  it.each(["fail", "none", "temperror"])("counts nothing of a message whose DMARC is %s", async (result) => {
    expect(await reportIn(0, { to, domain, result })).toEqual(["not authenticated"]);
    expect(await countOf(workspace.domainId)).toBe(0);
  });
});
