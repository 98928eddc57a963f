import { beforeEach, describe, expect, it } from "vitest";
import { recheckDomains } from "../../../src/domains/domains/index.ts";
import type { DomainOut } from "../../../src/domains/domains/schema.ts";
import { database } from "../../support/databases.ts";
import { unpublish } from "../../support/dns-control.ts";
import { publishRecords, register, verify } from "../../support/domains.ts";
import { aWorkspace, perTest, testContext } from "../../support/workspace.ts";

const DAY = 24 * 3_600_000;
const workspace = perTest(aWorkspace);
let domain: DomainOut;

beforeEach(async () => {
  domain = await register(workspace);
  await publishRecords(domain);
  domain = (await verify(workspace, domain.id)).domain;
});

const rotate = async () => (await workspace.call("POST", `/v1/domains/${domain.id}/dkim/rotate`)).json<DomainOut>();
const dkimOf = ({ records }: DomainOut) => records.filter(({ purpose }) => purpose === "dkim");

/** Returns the selectors of the active keys. */
async function activeSelectors(): Promise<string[]> {
  const results = await database.rows<{ selector: string }>(
    "SELECT selector FROM dkim_keys WHERE domain_id = ?1 AND activated_at IS NOT NULL AND retired_at IS NULL",
    [domain.id],
  );
  return results.map(({ selector }) => selector).sort();
}

describe("POST /v1/domains/{domain_id}/dkim/rotate", () => {
  it("keeps the old keys active until both new records are found, and lists the old records afterwards", async () => {
    const before = await activeSelectors();
    const rotated = await rotate();
    expect(dkimOf(rotated).map(({ required }) => required)).toEqual([true, true, false, false]);
    expect(rotated.dkim_selector).toBe(domain.dkim_selector);
    expect(await activeSelectors()).toEqual(before);
    const newRecords = dkimOf(rotated).slice(2);
    await publishRecords({ ...rotated, records: newRecords.slice(0, 1) });
    await verify(workspace, domain.id);
    expect(await activeSelectors()).toEqual(before);
    await publishRecords({ ...rotated, records: newRecords.slice(1) });
    const { domain: after } = await verify(workspace, domain.id);
    expect(await activeSelectors()).toEqual(newRecords.map(({ name }) => name.split(".")[0]).sort());
    expect(after.dkim_selector).not.toBe(domain.dkim_selector);
    expect(dkimOf(after).map(({ required }) => required)).toEqual([false, false, true, true]);
  });

  it("a retired key is deleted after seven days", async () => {
    const rotated = await rotate();
    await publishRecords(rotated);
    await verify(workspace, domain.id);
    await recheckDomains(testContext({}, () => Date.now() + 6 * DAY));
    const read = async () => (await workspace.get(`/v1/domains/${domain.id}`)).json<DomainOut>();
    expect(dkimOf(await read())).toHaveLength(4);
    await recheckDomains(testContext({}, () => Date.now() + 8 * DAY));
    expect(dkimOf(await read())).toHaveLength(2);
  });

  it("the daily check activates new keys, also when the old records are already unpublished", async () => {
    const rotated = await rotate();
    await publishRecords(rotated);
    for (const { name } of dkimOf(domain)) await unpublish(name);
    await recheckDomains(testContext({}, () => Date.now() + DAY + 1000));
    expect(await activeSelectors()).toEqual(
      dkimOf(rotated)
        .slice(2)
        .map(({ name }) => name.split(".")[0])
        .sort(),
    );
    expect(await (await workspace.get(`/v1/domains/${domain.id}`)).json()).toMatchObject({ status: "verified" });
  });

  it("a second rotation replaces pending keys; concurrent rotations leave one pending pair", async () => {
    await rotate();
    await Promise.all(Array.from({ length: 6 }, rotate));
    const read = await (await workspace.get(`/v1/domains/${domain.id}`)).json<DomainOut>();
    expect(dkimOf(read)).toHaveLength(4);
    expect(await activeSelectors()).toHaveLength(2);
  });

  it("a domain that is verified while it rotates always has active keys", async () => {
    for (let round = 0; round < 10; round++) {
      const fresh = await register(workspace);
      await publishRecords(fresh);
      await Promise.all([
        verify(workspace, fresh.id),
        workspace.call("POST", `/v1/domains/${fresh.id}/dkim/rotate`),
        verify(workspace, fresh.id),
      ]);
      const results = await database.rows<{ status: string; signing: number }>(
        `SELECT d.status, sum(k.activated_at IS NOT NULL AND k.retired_at IS NULL) AS signing
           FROM domains d JOIN dkim_keys k ON k.domain_id = d.id WHERE d.id = ?1`,
        [fresh.id],
      );
      expect(results[0]?.status === "verified" ? results[0].signing : 2).toBe(2);
    }
  });
});
