import { beforeEach, describe, expect, it } from "vitest";
import { recheckDomains } from "../../../src/domains/domains/index.ts";
import type { DomainOut } from "../../../src/domains/domains/schema.ts";
import { database } from "../../support/databases.ts";
import { failQueries, restoreQueries, unpublish } from "../../support/dns-control.ts";
import { publishRecords, register, statusesOf, verify } from "../../support/domains.ts";
import { aWorkspace, perTest, testContext } from "../../support/workspace.ts";

const DAY = 24 * 3_600_000;
const workspace = perTest(aWorkspace);
const domain = perTest(() => register(workspace));
/** The clock of the test. */
let now: number;

beforeEach(async () => {
  await publishRecords(domain);
  await verify(workspace, domain.id);
  now = Date.now();
});

const recheckOneDayLater = async () => {
  now += DAY + 1;
  await recheckDomains(testContext({}, () => now));
};
const readDomain = async () => (await workspace.get(`/v1/domains/${domain.id}`)).json<DomainOut>();
const unpublishAll = async () => {
  for (const { name } of domain.records) await unpublish(name);
};

async function notifications(): Promise<{ title: string; user_id: string }[]> {
  const results = await database.rows<{ title: string; user_id: string }>(
    "SELECT title, user_id FROM notifications WHERE workspace = ?1",
    [workspace.workspaceNumber],
  );
  return results.filter(({ title }) => title.includes(domain.name));
}

describe("the daily check of verified domains", () => {
  it("sets a domain to failed on the third day in a row without its records, and notifies the owners once", async () => {
    await unpublishAll();
    await recheckOneDayLater();
    expect(await readDomain()).toMatchObject({ status: "verified" });
    expect(statusesOf(await readDomain()).ownership).toBe("missing");
    await recheckOneDayLater();
    expect(await readDomain()).toMatchObject({ status: "verified" });
    expect(await notifications()).toHaveLength(0);
    await recheckOneDayLater();
    expect(await readDomain()).toMatchObject({ status: "failed" });
    expect(await notifications()).toEqual([
      { title: expect.stringContaining("can no longer send"), user_id: workspace.userId },
    ]);
    await recheckOneDayLater();
    expect(await notifications()).toHaveLength(1);
  });

  it("a successful check resets the count", async () => {
    await unpublishAll();
    await recheckOneDayLater();
    await recheckOneDayLater();
    await publishRecords(domain);
    await recheckOneDayLater();
    await unpublishAll();
    await recheckOneDayLater();
    await recheckOneDayLater();
    expect(await readDomain()).toMatchObject({ status: "verified" });
  });

  it("a check without a response from DNS neither counts nor resets the count", async () => {
    const [ownership] = domain.records;
    await unpublishAll();
    await recheckOneDayLater();
    await failQueries(ownership?.name ?? "", "servfail");
    await recheckOneDayLater();
    await recheckOneDayLater();
    await recheckOneDayLater();
    expect(await readDomain()).toMatchObject({ status: "verified" });
    await restoreQueries(ownership?.name ?? "");
    await recheckOneDayLater();
    expect(await readDomain()).toMatchObject({ status: "verified" });
    await recheckOneDayLater();
    expect(await readDomain()).toMatchObject({ status: "failed" });
  });

  it("concurrent runs count one check", async () => {
    await unpublishAll();
    now += DAY + 1;
    const at = now;
    await Promise.all([1, 2, 3, 4].map(() => recheckDomains(testContext({}, () => at))));
    const row = await database.row("SELECT failed_checks FROM domains WHERE id = ?1", [domain.id]);
    expect(row).toEqual({ failed_checks: 1 });
  });

  it("does not check a domain before a day has passed", async () => {
    await unpublishAll();
    await recheckDomains(testContext({}, () => now + DAY / 2));
    expect(statusesOf(await readDomain()).ownership).toBe("verified");
  });

  it("a failed domain can be verified again, unless another workspace has verified it meanwhile", async () => {
    await unpublishAll();
    await recheckOneDayLater();
    await recheckOneDayLater();
    await recheckOneDayLater();
    await publishRecords(domain);
    expect((await verify(workspace, domain.id)).domain.status).toBe("verified");
    await unpublishAll();
    await recheckOneDayLater();
    await recheckOneDayLater();
    await recheckOneDayLater();
    expect(await readDomain()).toMatchObject({ status: "failed" });
    const otherWorkspace = await aWorkspace();
    const other = await register(otherWorkspace, domain.name);
    await publishRecords(other);
    expect((await verify(otherWorkspace, other.id)).domain.status).toBe("verified");
    await unpublishAll();
    await publishRecords(domain);
    expect((await verify(workspace, domain.id)).status).toBe(409);
  });
});
