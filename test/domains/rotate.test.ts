import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { recheckDomains } from "../../src/domains/index.ts";
import type { DomainOut } from "../../src/domains/schema.ts";
import { unpublish } from "../support/dns-control.ts";
import { publishRecords, register, verify } from "../support/domains.ts";
import { aWorkspace, type TestWorkspace, testContext } from "../support/workspace.ts";

const DAY = 24 * 3_600_000;
let ours: TestWorkspace;
let domain: DomainOut;

beforeEach(async () => {
  ours = await aWorkspace();
  domain = await register(ours);
  await publishRecords(domain);
  domain = (await verify(ours, domain.id)).domain;
});

const rotate = async () => (await ours.call("POST", `/v1/domains/${domain.id}/dkim/rotate`)).json<DomainOut>();
const dkimOf = ({ records }: DomainOut) => records.filter(({ purpose }) => purpose === "dkim");

/** Selectors whose keys sign, as delivery reads them. */
async function signing(): Promise<string[]> {
  const { results } = await env.DB.prepare(
    "SELECT selector FROM dkim_keys WHERE domain_id = ?1 AND activated_at IS NOT NULL AND retired_at IS NULL",
  )
    .bind(domain.id)
    .all<{ selector: string }>();
  return results.map(({ selector }) => selector).sort();
}

describe("POST /v1/domains/{domain_id}/dkim/rotate", () => {
  it("lets the old keys sign until both new records have been seen, and keeps the old record listed after", async () => {
    const before = await signing();
    const rotated = await rotate();
    expect(dkimOf(rotated).map(({ required }) => required)).toEqual([true, true, false, false]);
    expect(rotated.dkim_selector).toBe(domain.dkim_selector);
    expect(await signing()).toEqual(before);
    const fresh = dkimOf(rotated).slice(2);
    await publishRecords({ ...rotated, records: fresh.slice(0, 1) });
    await verify(ours, domain.id);
    expect(await signing()).toEqual(before);
    await publishRecords({ ...rotated, records: fresh.slice(1) });
    const { domain: after } = await verify(ours, domain.id);
    expect(await signing()).toEqual(fresh.map(({ name }) => name.split(".")[0]).sort());
    expect(after.dkim_selector).not.toBe(domain.dkim_selector);
    expect(dkimOf(after).map(({ required }) => required)).toEqual([false, false, true, true]);
  });

  it("a retired key goes once its mail is through", async () => {
    const rotated = await rotate();
    await publishRecords(rotated);
    await verify(ours, domain.id);
    await recheckDomains(testContext({}, () => Date.now() + 6 * DAY));
    const read = async () => (await ours.get(`/v1/domains/${domain.id}`)).json<DomainOut>();
    expect(dkimOf(await read())).toHaveLength(4);
    await recheckDomains(testContext({}, () => Date.now() + 8 * DAY));
    expect(dkimOf(await read())).toHaveLength(2);
  });

  it("the daily check lets new keys take over, also when the old records are gone already", async () => {
    const rotated = await rotate();
    await publishRecords(rotated);
    for (const { name } of dkimOf(domain)) await unpublish(name);
    await recheckDomains(testContext({}, () => Date.now() + DAY + 1000));
    expect(await signing()).toEqual(
      dkimOf(rotated)
        .slice(2)
        .map(({ name }) => name.split(".")[0])
        .sort(),
    );
    expect(await (await ours.get(`/v1/domains/${domain.id}`)).json()).toMatchObject({ status: "verified" });
  });

  it("a second rotation takes the place of keys that never signed; many at once leave one pair waiting", async () => {
    await rotate();
    await Promise.all(Array.from({ length: 6 }, rotate));
    const read = await (await ours.get(`/v1/domains/${domain.id}`)).json<DomainOut>();
    expect(dkimOf(read)).toHaveLength(4);
    expect(await signing()).toHaveLength(2);
  });

  it("a domain that verifies while it rotates is never left without keys that sign", async () => {
    for (let round = 0; round < 10; round++) {
      const fresh = await register(ours);
      await publishRecords(fresh);
      await Promise.all([
        verify(ours, fresh.id),
        ours.call("POST", `/v1/domains/${fresh.id}/dkim/rotate`),
        verify(ours, fresh.id),
      ]);
      const { results } = await env.DB.prepare(
        `SELECT d.status, sum(k.activated_at IS NOT NULL AND k.retired_at IS NULL) AS signing
           FROM domains d JOIN dkim_keys k ON k.domain_id = d.id WHERE d.id = ?1`,
      )
        .bind(fresh.id)
        .all<{ status: string; signing: number }>();
      expect(results[0]?.status === "verified" ? results[0].signing : 2).toBe(2);
    }
  });
});
