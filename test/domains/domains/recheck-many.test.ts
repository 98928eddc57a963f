import { expect, it } from "vitest";
import { recheckDomains } from "../../../src/domains/domains/index.ts";
import type { DomainOut } from "../../../src/domains/domains/schema.ts";
import { database } from "../../support/databases.ts";
import { failQueries } from "../../support/dns-control.ts";
import { publishRecords, register, uniqueDomainName, verify } from "../../support/domains.ts";
import { aWorkspace, testContext } from "../../support/workspace.ts";

const HOUR = 3_600_000;

// As many domains as one run checks, each due before the tested one.
const INSERT_UNRESPONDED = `
  WITH RECURSIVE silent (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM silent WHERE n < 200)
  INSERT INTO domains (id, workspace, name, status, reversed_name, ownership_token, created_at, verified_at, next_check_at)
  SELECT 'silent-' || n, ?1, n || '.' || ?2, 'verified', 'silent.' || n || '.', '', 1, 1, 1 FROM silent`;

it("two hundred domains whose DNS never responds delay the check of another by one run at most", async () => {
  const workspace = await aWorkspace();
  const [domain, zone] = [await register(workspace), uniqueDomainName()];
  await publishRecords(domain);
  await verify(workspace, domain.id);
  await database.prepare(INSERT_UNRESPONDED).bind(workspace.workspaceNumber, zone).run();
  await failQueries(zone, "servfail");
  const start = Date.now() + 25 * HOUR;
  let now = start;
  for (let run = 0; run < 2; run++, now += HOUR + 1) await recheckDomains(testContext({}, () => now));
  const { last_checked_at } = await (await workspace.get(`/v1/domains/${domain.id}`)).json<DomainOut>();
  expect(Date.parse(last_checked_at ?? "")).toBeGreaterThanOrEqual(start);
  const results = await database.rows("SELECT status, failed_checks, last_checked_at FROM domains WHERE id LIKE 's%'");
  expect(new Set(results.map((row) => JSON.stringify(row)))).toEqual(
    new Set(['{"status":"verified","failed_checks":0,"last_checked_at":null}']),
  );
});
