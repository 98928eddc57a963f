import { describe, expect, it } from "vitest";
import { delegatedCost, domainsOfZone } from "../../bench/delegated-costs.ts";
import { newDelegation } from "../../src/domains/zones/index.ts";
import { database } from "../support/databases.ts";
import { testContext } from "../support/workspace.ts";

describe("the cost of delegated domains", () => {
  it.each([200, 1_000, 3_500])(
    "counts the domains that a zone of %i records gets from the service",
    async (records) => {
      const name = `cost-${records}.test`;
      const ctx = testContext({ DELEGATED_ZONES: `${name}=1:${records}` });
      await database.run("INSERT INTO zones (name, records) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET records = ?2", [
        name,
        3 * (domainsOfZone(records) - 1),
      ]);
      expect(await newDelegation(ctx)).toMatchObject({ zone: name });
      await database.run("UPDATE zones SET records = records + 3 WHERE name = ?1", [name]);
      expect(await newDelegation(ctx)).toBeNull();
    },
  );

  it("adds zones as they fill up, and hostnames beyond the included ones", () => {
    expect(delegatedCost(61)).toEqual({
      ...{ freeZones: 1, paidZones: 1, zoneDollars: 25 },
      hostDollars: { links: 0, linksAndMtaSts: expect.closeTo(2.2) },
    });
    expect(delegatedCost(62).freeZones).toBe(2);
    expect(delegatedCost(1_162)).toMatchObject({ paidZones: 2, hostDollars: { links: expect.closeTo(106.2) } });
  });
});
