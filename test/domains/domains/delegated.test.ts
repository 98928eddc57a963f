import { afterEach, describe, expect, it } from "vitest";
import { advanceRotations, recheckDomains, tendZones } from "../../../src/domains/domains/index.ts";
import type { DomainOut } from "../../../src/domains/domains/schema.ts";
import { database } from "../../support/databases.ts";
import { failApi, unpublish, zoneRecords } from "../../support/dns-control.ts";
import { publishRecords, statusesOf, uniqueDomainName, verify } from "../../support/domains.ts";
import { aWorkspace, perTest, testContext } from "../../support/workspace.ts";

const DAY = 24 * 3_600_000;
const zoneId = testContext().settings.delegatedZones[0]?.id ?? "";
const workspace = perTest(aWorkspace);
const at = (ms: number) => testContext({}, () => Date.now() + ms);

afterEach(() => failApi(zoneId, null));

async function delegate(name = uniqueDomainName(), by = workspace): Promise<DomainOut> {
  const response = await by.post("/v1/domains/", { name, setup: "delegated" });
  expect(response.status).toBe(201);
  const domain = await response.json<DomainOut>();
  // The registration publishes the keys after its response.
  await expect.poll(() => unpublishedKeys(domain)).toBe(0);
  return domain;
}

const unpublishedKeys = ({ id }: DomainOut) =>
  database.value("SELECT count(*) AS n FROM dkim_keys WHERE domain_id = ?1 AND published_at IS NULL", [id]);

async function verified(): Promise<DomainOut> {
  const domain = await delegate();
  await publishRecords(domain);
  const { domain: after } = await verify(workspace, domain.id);
  expect(after.status).toBe("verified");
  return after;
}

const get = async (id: string) => (await workspace.get(`/v1/domains/${id}`)).json<DomainOut>();
const patch = (id: string, setup: string, by = workspace) => by.call("PATCH", `/v1/domains/${id}`, { setup });
const ofPurpose = ({ records }: DomainOut, purpose: string) => records.filter((record) => record.purpose === purpose);
/** Returns the label of the names of a domain in its zone. */
const tokenOf = (domain: DomainOut) => ofPurpose(domain, "dkim")[0]?.value.split(".")[1] ?? "none";

async function signers(domain: Pick<DomainOut, "id">): Promise<string[]> {
  const results = await database.rows<{ selector: string }>(
    "SELECT selector FROM dkim_keys WHERE domain_id = ?1 AND activated_at IS NOT NULL AND retired_at IS NULL",
    [domain.id],
  );
  return results.map(({ selector }) => selector).sort();
}

describe("a delegated domain", () => {
  it("is verified by its CNAMEs alone, with one key that signs and the next one published", async () => {
    const domain = await delegate();
    expect(new Set(domain.records.filter(({ required }) => required).map(({ type }) => type))).toEqual(
      new Set(["CNAME"]),
    );
    await publishRecords(domain, ["dkim"]);
    const { domain: after } = await verify(workspace, domain.id);
    expect([after.status, statusesOf(after).dkim, statusesOf(after).return_path]).toEqual([
      "verified",
      "verified",
      "missing",
    ]);
    expect(await signers(domain)).toEqual([after.dkim_selector]);
    const published = await zoneRecords(tokenOf(domain));
    expect(published.map(({ name }) => name.split(".")[0]).sort()).toEqual(["dmarc", "s1", "s2"]);
  });

  it("shares the return path, whose records are in the first zone", async () => {
    await verified();
    await tendZones(at(0));
    const records = await zoneRecords("return.zone.test");
    expect(records.map(({ type, content }) => `${type} ${content}`).sort()).toEqual([
      "MX mx.mail.test",
      'TXT "v=spf1 include:spf.mail.test -all"',
    ]);
  });

  it("is not verified by a copy of the key, nor by the CNAMEs of another registration of its name", async () => {
    const name = uniqueDomainName();
    const other = await aWorkspace();
    const theirs = await delegate(name, other);
    const ours = await delegate(name);
    await publishRecords(theirs);
    expect((await verify(other, theirs.id)).domain.status).toBe("verified");
    const { domain } = await verify(workspace, ours.id);
    expect([domain.status, statusesOf(domain).dkim]).toEqual(["pending", "missing"]);
    const [key] = await zoneRecords(`s1.${tokenOf(ours)}`);
    const [first, second] = ofPurpose(ours, "dkim");
    const copy = (record: typeof first) =>
      ({ ...record, type: "TXT", value: key?.content.replaceAll(/" ?"?/g, "") }) as never;
    await publishRecords({ ...ours, records: [copy(first), copy(second)] });
    const { domain: copied } = await verify(workspace, ours.id);
    expect(copied.status).toBe("pending");
    expect(ofPurpose(copied, "dkim")[0]).toMatchObject({
      status: "mismatch",
      action: expect.stringContaining("Replace the TXT"),
    });
  });

  it("says what was found and what to change about a CNAME that leads elsewhere", async () => {
    const domain = await delegate();
    await publishRecords({
      ...domain,
      records: domain.records.map((record) => ({
        ...record,
        value: record.type === "CNAME" ? "elsewhere.test" : record.value,
      })),
    });
    const { domain: after } = await verify(workspace, domain.id);
    expect(ofPurpose(after, "dkim")[0]).toMatchObject({
      status: "mismatch",
      found: ["CNAME elsewhere.test"],
      action: expect.stringContaining(`lead to s1.${tokenOf(domain)}.zone.test`),
    });
  });

  it("keeps a DMARC record of its own", async () => {
    const domain = await delegate();
    const own = {
      ...ofPurpose(domain, "dmarc")[0],
      type: "TXT",
      value: "v=DMARC1; p=reject",
    } as DomainOut["records"][number];
    await publishRecords({ ...domain, records: [...ofPurpose(domain, "dkim"), own] });
    expect(statusesOf((await verify(workspace, domain.id)).domain).dmarc).toBe("verified");
  });

  it("of another workspace cannot be changed, and a malformed change is refused", async () => {
    const domain = await delegate();
    const stranger = await aWorkspace();
    expect((await patch(domain.id, "manual", stranger)).status).toBe(404);
    expect((await patch(domain.id, "other")).status).toBe(422);
  });
});

describe("the rotation of a delegated domain", () => {
  it("signs with the next key after 90 days, replaces the last one after 14 more, and asks nothing of the customer", async () => {
    const domain = await verified();
    const [first, second] = ofPurpose(domain, "dkim").map(({ name }) => name.split(".")[0]);
    const before = await zoneRecords(tokenOf(domain));
    await tendZones(at(89 * DAY));
    expect(await signers(domain)).toEqual([first]);
    await tendZones(at(91 * DAY));
    expect(await signers(domain)).toEqual([second]);
    await tendZones(at(104 * DAY));
    expect(await zoneRecords(tokenOf(domain))).toEqual(before);
    await tendZones(at(106 * DAY));
    const after = await zoneRecords(tokenOf(domain));
    expect(after.filter((record) => !before.some(({ content }) => content === record.content))).toHaveLength(1);
    await tendZones(at(182 * DAY));
    expect(await signers(domain)).toEqual([first]);
  });

  it("does not sign with a key whose CNAME is gone, and does when it is back", async () => {
    const domain = await verified();
    const [first, second] = ofPurpose(domain, "dkim");
    await unpublish(second?.name ?? "");
    await advanceRotations(at(91 * DAY));
    expect(await signers(domain)).toEqual([first?.name.split(".")[0]]);
    await publishRecords({ ...domain, records: second ? [second] : [] });
    await advanceRotations(at(93 * DAY));
    expect(await signers(domain)).toEqual([second?.name.split(".")[0]]);
  });

  it.each(["down", "rate", "garbage", "lost"] as const)(
    "waits for an API that is %s, and goes on when it is back",
    async (failure) => {
      const domain = await verified();
      await tendZones(at(91 * DAY));
      await failApi(zoneId, failure);
      await tendZones(at(106 * DAY));
      const signer = await signers(domain);
      await tendZones(at(190 * DAY));
      expect(await signers(domain)).toEqual(signer);
      await failApi(zoneId, null);
      await tendZones(at(191 * DAY));
      await tendZones(at(191.1 * DAY));
      expect(await signers(domain)).toEqual(signer);
      await tendZones(at(194 * DAY));
      expect(await signers(domain)).not.toEqual(signer);
    },
  );

  it("takes each step once in runs at the same time", async () => {
    const domain = await verified();
    await Promise.all(Array.from({ length: 4 }, () => tendZones(at(91 * DAY))));
    expect(await signers(domain)).toHaveLength(1);
    await Promise.all(Array.from({ length: 4 }, () => tendZones(at(106 * DAY))));
    const keys = await database.value("SELECT count(*) AS n FROM dkim_keys WHERE domain_id = ?1", [domain.id]);
    expect(keys).toBe(2);
  });

  it("the customer can have it at once when the next key is published for two days, and not twice", async () => {
    const domain = await verified();
    const rotate = () => workspace.call("POST", `/v1/domains/${domain.id}/dkim/rotate`);
    expect((await rotate()).status).toBe(409);
    await database.run("UPDATE dkim_keys SET published_at = published_at - ?2 WHERE domain_id = ?1", [
      domain.id,
      2 * DAY,
    ]);
    const statuses = (await Promise.all([rotate(), rotate()])).map(({ status }) => status).sort();
    expect(statuses).toEqual([200, 409]);
    expect(await signers(domain)).toEqual([ofPurpose(domain, "dkim")[1]?.name.split(".")[0]]);
  });

  it("a record that has gone from the zone is published again after the daily check", async () => {
    const domain = await verified();
    const name = `s1.${tokenOf(domain)}`;
    const before = await zoneRecords(name);
    await deleteFromZone(name);
    await recheckDomains(at(2 * DAY));
    expect((await get(domain.id)).status).toBe("verified");
    await tendZones(at(2 * DAY));
    expect((await zoneRecords(name)).map(({ content }) => content)).toEqual(before.map(({ content }) => content));
  });
});

describe("the end of a delegation", () => {
  it("removes the records of a deleted domain from the zone 14 days later", async () => {
    const domain = await verified();
    expect((await workspace.call("DELETE", `/v1/domains/${domain.id}`)).status).toBe(204);
    await tendZones(at(0));
    await tendZones(at(13 * DAY));
    expect(await zoneRecords(tokenOf(domain))).toHaveLength(3);
    await tendZones(at(15 * DAY));
    expect(await zoneRecords(tokenOf(domain))).toEqual([]);
    const again = await delegate(domain.name);
    expect(tokenOf(again)).not.toBe(tokenOf(domain));
  });

  it("a domain that is deleted in the middle of a rotation gets no new key", async () => {
    const domain = await verified();
    await tendZones(at(91 * DAY));
    await Promise.all([tendZones(at(106 * DAY)), workspace.call("DELETE", `/v1/domains/${domain.id}`)]);
    const keys = await database.value("SELECT count(*) AS n FROM dkim_keys WHERE domain_id = ?1", [domain.id]);
    expect(keys).toBe(0);
    await tendZones(at(107 * DAY));
    await tendZones(at(122 * DAY));
    expect(await zoneRecords(tokenOf(domain))).toEqual([]);
  });

  it("a change to values by hand keeps the key that signs until the TXT records are found, then leaves the zone", async () => {
    const domain = await verified();
    const signer = await signers(domain);
    const manual = await (await patch(domain.id, "manual")).json<DomainOut>();
    expect(manual.setup).toBe("manual");
    expect((await verify(workspace, domain.id)).domain.status).toBe("verified");
    expect(await signers(domain)).toEqual(signer);
    await publishRecords({ ...manual, records: manual.records.filter(({ type }) => type === "TXT") }, [
      "ownership",
      "dkim",
    ]);
    expect((await verify(workspace, domain.id)).domain.status).toBe("verified");
    expect(await signers(domain)).toHaveLength(2);
    await tendZones(at(0));
    await tendZones(at(15 * DAY));
    expect(await zoneRecords(tokenOf(domain))).toEqual([]);
  });

  it("a change from values by hand keeps the keys that sign until the CNAMEs are found", async () => {
    const domain = await (await workspace.post("/v1/domains/", { name: uniqueDomainName() })).json<DomainOut>();
    await publishRecords(domain);
    await verify(workspace, domain.id);
    const before = await signers(domain);
    const statuses = (await Promise.all([patch(domain.id, "delegated"), patch(domain.id, "delegated")])).map(
      ({ status }) => status,
    );
    expect(statuses.sort()).toEqual(expect.arrayContaining([200]));
    expect(await signers(domain)).toEqual(before);
    const moving = await get(domain.id);
    expect(ofPurpose(moving, "dkim").filter(({ type }) => type === "CNAME")).toHaveLength(2);
    await publishRecords({ ...moving, records: ofPurpose(moving, "dkim").filter(({ type }) => type === "CNAME") });
    const { domain: after } = await verify(workspace, domain.id);
    expect(await signers(domain)).toEqual([after.dkim_selector]);
    expect(after.status).toBe("verified");
    expect(ofPurpose(after, "ownership")).toEqual([]);
  });
});

async function deleteFromZone(name: string): Promise<void> {
  const { cloudflareZone } = await import("../../../src/platform/dns-zones/cloudflare.ts");
  const { settings } = testContext();
  const zone = cloudflareZone(settings, settings.delegatedZones[0]?.id ?? "");
  for (const { id } of await zoneRecords(name)) await zone.delete(id);
}
