import { beforeAll, describe, expect, it } from "vitest";
import { tendZones } from "../../../src/domains/domains/index.ts";
import type { DomainOut } from "../../../src/domains/domains/schema.ts";
import { findReportTarget } from "../../../src/domains/reports/index.ts";
import { verifyDkim } from "../../support/cfbl.ts";
import { zoneRecords } from "../../support/dns-control.ts";
import { publishRecords, uniqueDomainName } from "../../support/domains.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { sinkServer } from "../../support/smtp-control.ts";
import { settingsOfZone } from "../../support/test-zones.ts";
import { acceptById, aSystemWorkspace, complete, initiate, transfer } from "../../support/transfers.ts";
import { aMail, apiOn, aWorkspace, type TestWorkspace, testContext } from "../../support/workspace.ts";

const DAY = 24 * 3_600_000;
const settings = settingsOfZone("move-zone.test");
const contextIn = (ms: number) => testContext(settings, () => Date.now() + ms);
const apiOf = ({ apiKey }: TestWorkspace) => apiOn(settings, apiKey);

beforeAll(aSystemWorkspace);

/** A verified delegated domain with a mailbox. */
async function aDelegatedDomain(workspace: TestWorkspace, name = uniqueDomainName()) {
  const api = apiOf(workspace);
  const response = await api.post("/v1/domains/", { name, setup: "delegated" });
  const { id, records } = await response.json<DomainOut>();
  await publishRecords({ name, records } as DomainOut);
  const domain = await (await api.post(`/v1/domains/${id}/verify`, undefined)).json<DomainOut>();
  expect(domain.status).toBe("verified");
  const mailbox = await api.post("/v1/mailboxes/", { domain_id: id, local_part: "hello" });
  expect(mailbox.status).toBe(201);
  return domain;
}

const get = async (by: TestWorkspace, id: string) => (await apiOf(by).get(`/v1/domains/${id}`)).json<DomainOut>();
const aliasesOf = ({ records }: Pick<DomainOut, "records">) =>
  records
    .filter(({ purpose }) => purpose === "dkim" || purpose === "dmarc")
    .map(({ name, value }) => `${name} ${value}`);

/** Sends an email of a domain and returns the message that the egress got. */
async function messageOf(workspace: TestWorkspace, { name }: DomainOut): Promise<Uint8Array> {
  const server = await sinkServer();
  const response = await workspace.withoutQueue.post("/v1/emails/", aMail({ mailbox: `hello@${name}` }));
  expect(response.status).toBe(202);
  await runOutboxAt(Date.now(), { EGRESS_URL: server.url });
  const [message] = await server.messages();
  await server.close();
  return message?.raw ?? new Uint8Array(0);
}

/** Returns what mailauth finds about a message, with the records that the CNAMEs of a domain lead to now. */
async function checked(message: Uint8Array, { records }: Pick<DomainOut, "records">): Promise<string[]> {
  const found = await Promise.all(
    records
      .filter(({ purpose }) => purpose === "dkim")
      .map(async ({ name, value }) => {
        const [record] = await zoneRecords(value);
        return record ? [[name, record.content.replaceAll(/" "|"/g, "")]] : [];
      }),
  );
  return verifyDkim(message, Object.fromEntries(found.flat()));
}

const signedBy = ({ name, dkim_selector }: DomainOut, result = "pass") => [
  `${name} ${dkim_selector} rsa-sha256 ${result}`,
];

describe("a transfer of a delegated domain", () => {
  it("keeps its names, keys and policy, and mail is signed before, during and after it", async () => {
    const [source, target] = await Promise.all([aWorkspace(), aWorkspace()]);
    const before = await aDelegatedDomain(source);
    await apiOf(source).call("PATCH", `/v1/domains/${before.id}`, { dmarc_policy: "reject" });
    const token = before.records[0]?.value.split(".")[1] ?? "none";
    const published = await zoneRecords(token);
    expect(await checked(await messageOf(source, before), before)).toEqual(signedBy(before));
    const offered = await initiate(source, target, before.id);
    const accepted = await acceptById(target, offered.id, { rotate_dkim: true });
    expect(await checked(await messageOf(source, before), before)).toEqual(signedBy(before));
    await complete(accepted);
    const after = await get(target, before.id);
    expect([aliasesOf(after), after.setup, after.status, after.dmarc_policy]).toEqual([
      ...[aliasesOf(before), "delegated", "verified", "reject"],
    ]);
    expect(await checked(await messageOf(target, after), after)).toEqual(signedBy(before));
    await tendZones(contextIn(0));
    expect(await zoneRecords(token)).toEqual(published);
    expect((await apiOf(source).call("PATCH", `/v1/domains/${before.id}`, { dmarc_policy: "none" })).status).toBe(404);
  });

  it("brings the reports on it to the workspace that has it, at the address in its record", async () => {
    const [source, target] = await Promise.all([aWorkspace(), aWorkspace()]);
    const domain = await aDelegatedDomain(source);
    const [record] = await zoneRecords(domain.records.find(({ purpose }) => purpose === "dmarc")?.value ?? "none");
    const address = /rua=mailto:([^";]+)/.exec(record?.content ?? "")?.[1] ?? "";
    const ownerOf = async () => {
      const found = await findReportTarget(testContext(settings), address);
      return found === "shared" ? null : found?.workspace;
    };
    expect(await ownerOf()).toBe(source.workspaceNumber);
    await transfer(source, target, { domainId: domain.id });
    expect(await ownerOf()).toBe(target.workspaceNumber);
  });

  it("goes on with the rotation of its keys", async () => {
    const [source, target] = await Promise.all([aWorkspace(), aWorkspace()]);
    const domain = await aDelegatedDomain(source);
    await transfer(source, target, { domainId: domain.id });
    await tendZones(contextIn(91 * DAY));
    const rotated = await get(target, domain.id);
    expect(rotated.dkim_selector).not.toBe(domain.dkim_selector);
    expect(await checked(await messageOf(target, rotated), rotated)).toEqual(signedBy(rotated));
    await tendZones(contextIn(106 * DAY));
    expect(await checked(await messageOf(target, rotated), rotated)).toEqual(signedBy(rotated));
  });

  it("takes the place of a claim of the recipient on its name, whose records leave the zone", async () => {
    const [source, target] = await Promise.all([aWorkspace(), aWorkspace()]);
    const domain = await aDelegatedDomain(source);
    const claim = await apiOf(target).post("/v1/domains/", { name: domain.name, setup: "delegated" });
    const { records } = await claim.json<DomainOut>();
    const token = records[0]?.value.split(".")[1] ?? "none";
    expect(await zoneRecords(token)).toHaveLength(3);
    await transfer(source, target, { domainId: domain.id });
    for (const days of [0, 15]) await tendZones(contextIn(days * DAY));
    expect(await zoneRecords(token)).toEqual([]);
    expect(await checked(await messageOf(target, domain), domain)).toEqual(signedBy(domain));
  });
});

describe("a delegated domain that is deleted and registered again in another workspace", () => {
  it("has other names, and 14 days later no mail verifies with the keys of before", async () => {
    const [first, second] = await Promise.all([aWorkspace(), aWorkspace()]);
    const old = await aDelegatedDomain(first);
    const message = await messageOf(first, old);
    const deletion = await apiOf(first).call("DELETE", `/v1/domains/${old.id}?delete_mailboxes=true`);
    expect(deletion.status).toBe(204);
    const again = await aDelegatedDomain(second, old.name);
    expect(aliasesOf(again).filter((alias) => aliasesOf(old).some((one) => sharesName(alias, one)))).toEqual([]);
    await tendZones(contextIn(0));
    await tendZones(contextIn(13 * DAY));
    expect(await checked(message, old)).toEqual(signedBy(old));
    await tendZones(contextIn(14.01 * DAY));
    expect(await checked(message, old)).toEqual(signedBy(old, "neutral"));
    expect(await checked(message, again)).toEqual(signedBy(old, "neutral"));
    expect(await checked(await messageOf(second, again), again)).toEqual(signedBy(again));
  });
});

/** Returns whether two CNAMEs have the same name, but for _dmarc, or the same target. */
function sharesName(one: string, other: string): boolean {
  const [[name, target], [otherName, otherTarget]] = [one.split(" "), other.split(" ")];
  return target === otherTarget || (name === otherName && !name?.startsWith("_dmarc."));
}
