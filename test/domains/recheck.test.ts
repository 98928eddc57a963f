import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { recheckDomains } from "../../src/domains/index.ts";
import type { DomainOut } from "../../src/domains/schema.ts";
import { fail, heal, unpublish } from "../support/dns-control.ts";
import { publishRecords, register, statusesOf, verify } from "../support/domains.ts";
import { aWorkspace, type TestWorkspace, testContext } from "../support/workspace.ts";

const DAY = 24 * 3_600_000;
let ours: TestWorkspace;
let domain: DomainOut;
/** A clock that only the test moves. */
let now: number;

beforeEach(async () => {
  ours = await aWorkspace();
  domain = await register(ours);
  await publishRecords(domain);
  await verify(ours, domain.id);
  now = Date.now();
});

const dayLater = async () => {
  now += DAY + 1;
  await recheckDomains(testContext({}, () => now));
};
const read = async () => (await ours.get(`/v1/domains/${domain.id}`)).json<DomainOut>();
const takeAway = async () => {
  for (const { name } of domain.records) await unpublish(name);
};

async function notices(): Promise<{ title: string; user_id: string }[]> {
  const { results } = await env.DB.prepare("SELECT title, user_id FROM notifications WHERE workspace = ?1")
    .bind(ours.workspaceNumber)
    .all<{ title: string; user_id: string }>();
  return results.filter(({ title }) => title.includes(domain.name));
}

describe("the daily check of verified domains", () => {
  it("takes a domain away on the third day in a row without its records, and tells the owners once", async () => {
    await takeAway();
    await dayLater();
    expect(await read()).toMatchObject({ status: "verified" });
    expect(statusesOf(await read()).ownership).toBe("missing");
    await dayLater();
    expect(await read()).toMatchObject({ status: "verified" });
    expect(await notices()).toHaveLength(0);
    await dayLater();
    expect(await read()).toMatchObject({ status: "failed" });
    expect(await notices()).toEqual([{ title: expect.stringContaining("can no longer send"), user_id: ours.userId }]);
    await dayLater();
    expect(await notices()).toHaveLength(1);
  });

  it("counts from the start again after a day on which all was there", async () => {
    await takeAway();
    await dayLater();
    await dayLater();
    await publishRecords(domain);
    await dayLater();
    await takeAway();
    await dayLater();
    await dayLater();
    expect(await read()).toMatchObject({ status: "verified" });
  });

  it("a day without an answer from DNS neither counts nor is counted from", async () => {
    const [ownership] = domain.records;
    await takeAway();
    await dayLater();
    await fail(ownership?.name ?? "", "servfail");
    await dayLater();
    await dayLater();
    await dayLater();
    expect(await read()).toMatchObject({ status: "verified" });
    await heal(ownership?.name ?? "");
    await dayLater();
    expect(await read()).toMatchObject({ status: "verified" });
    await dayLater();
    expect(await read()).toMatchObject({ status: "failed" });
  });

  it("two runs in the same moment count one day", async () => {
    await takeAway();
    now += DAY + 1;
    const at = now;
    await Promise.all([1, 2, 3, 4].map(() => recheckDomains(testContext({}, () => at))));
    const row = await env.DB.prepare("SELECT failed_checks FROM domains WHERE id = ?1").bind(domain.id).first();
    expect(row).toEqual({ failed_checks: 1 });
  });

  it("does not look at a domain before its day is over", async () => {
    await takeAway();
    await recheckDomains(testContext({}, () => now + DAY / 2));
    expect(statusesOf(await read()).ownership).toBe("verified");
  });

  it("a failed domain is verified again when its records are back, unless somebody else has it by then", async () => {
    await takeAway();
    await dayLater();
    await dayLater();
    await dayLater();
    await publishRecords(domain);
    expect((await verify(ours, domain.id)).domain.status).toBe("verified");
    await takeAway();
    await dayLater();
    await dayLater();
    await dayLater();
    expect(await read()).toMatchObject({ status: "failed" });
    const theirs = await aWorkspace();
    const other = await register(theirs, domain.name);
    await publishRecords(other);
    expect((await verify(theirs, other.id)).domain.status).toBe("verified");
    await takeAway();
    await publishRecords(domain);
    expect((await verify(ours, domain.id)).status).toBe(409);
  });
});
