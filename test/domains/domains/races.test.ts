import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { recheckDomains } from "../../../src/domains/domains/index.ts";
import type { DomainOut } from "../../../src/domains/domains/schema.ts";
import { apiWithRace } from "../../support/api-with-race.ts";
import { database } from "../../support/databases.ts";
import { publishRecords, register, uniqueDomainName, verify } from "../../support/domains.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { aWorkspace, perTest, testContext } from "../../support/workspace.ts";

/** Changes to a domain while a request about it is in progress. */

const HOUR = 3_600_000;
const workspace = perTest(aWorkspace);

const rotate = (id: string) => workspace.call("POST", `/v1/domains/${id}/dkim/rotate`);
const read = async (id: string) => (await workspace.get(`/v1/domains/${id}`)).json<DomainOut>();
const detail = async (response: Response) => (await response.json<{ detail: string }>()).detail;

describe("deleting a workspace while a domain is registered in it", () => {
  const cases: [string, Record<string, string>][] = [
    ["without", {}],
    ["with", { "Idempotency-Key": "k" }],
  ];
  for (const [how, headers] of cases)
    it(`inserts no domain and purges the workspace completely, ${how} an Idempotency-Key`, async () => {
      const remove = () => workspace.call("DELETE", `/v1/workspaces/${workspace.workspaceId}`);
      const name = uniqueDomainName();
      const api = apiWithRace(workspace.apiKey, 0, remove);
      expect((await api.post("/v1/domains/", { name }, headers)).status).toBe(409);
      expect(await database.row("SELECT 1 FROM domains WHERE name = ?1", [name])).toBeNull();
      await runOutboxAt(Date.now() + HOUR);
      const left = database.prepare("SELECT 1 FROM workspaces WHERE number = ?1").bind(workspace.workspaceNumber);
      expect(await left.first()).toBeNull();
    });
});

describe("POST /v1/domains/{domain_id}/verify", () => {
  it("returns verified to all of twenty concurrent calls", async () => {
    const domain = await register(workspace);
    await publishRecords(domain);
    const responses = await Promise.all(Array.from({ length: 20 }, () => verify(workspace, domain.id)));
    for (const result of responses) expect(result).toMatchObject({ status: 200, domain: { status: "verified" } });
  });

  it("returns 409 `try again` and does not verify when the keys were rotated meanwhile", async () => {
    const domain = await register(workspace);
    await publishRecords(domain);
    const api = apiWithRace(workspace.apiKey, 1, () => rotate(domain.id));
    const response = await api.post(`/v1/domains/${domain.id}/verify`, undefined);
    expect(response.status).toBe(409);
    expect(await detail(response)).toContain("try again");
    expect(await read(domain.id)).toMatchObject({ status: "pending" });
  });
});

describe("POST /v1/domains/{domain_id}/dkim/rotate", () => {
  it("returns 409 and changes nothing when the keys were rotated meanwhile, so that no listed record is obsolete", async () => {
    const domain = await register(workspace);
    const api = apiWithRace(workspace.apiKey, 1, () => rotate(domain.id));
    expect((await api.call("POST", `/v1/domains/${domain.id}/dkim/rotate`)).status).toBe(409);
    const after = await read(domain.id);
    expect(after.dkim_selector).not.toBe(domain.dkim_selector);
    expect((await rotate(domain.id)).status).toBe(200);
  });

  it("returns 404 when the domain is deleted meanwhile", async () => {
    const domain = await register(workspace);
    const api = apiWithRace(workspace.apiKey, 1, () => workspace.call("DELETE", `/v1/domains/${domain.id}`));
    expect((await api.call("POST", `/v1/domains/${domain.id}/dkim/rotate`)).status).toBe(404);
  });
});

describe("the daily check", () => {
  it("continues with the other domains when one cannot be written", async () => {
    const domains = await Promise.all([1, 2, 3, 4, 5, 6].map(() => register(workspace)));
    for (const domain of domains) {
      await publishRecords(domain);
      await verify(workspace, domain.id);
    }
    let batches = 0;
    const batch = async (statements: D1PreparedStatement[]) => {
      batches += 1;
      if (batches === 2) throw new Error("D1_ERROR: the database is busy");
      return env.DB.batch(statements);
    };
    const later = Date.now() + 25 * HOUR;
    const ctx = testContext({ DB: { prepare: (sql: string) => env.DB.prepare(sql), batch } }, () => later);
    await recheckDomains(ctx);
    const checked = await Promise.all(domains.map(async ({ id }) => (await read(id)).last_checked_at));
    expect(checked.filter((at) => at === new Date(later).toISOString()).length).toBeGreaterThanOrEqual(5);
  });
});
