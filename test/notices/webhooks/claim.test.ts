import { beforeEach, describe, expect, it } from "vitest";
import { claimEndpoints } from "../../../src/notices/webhooks/claim.ts";
import { CLAIM_BYTES, CLAIM_ENDPOINTS, FAILED_CLAIM_MS } from "../../../src/notices/webhooks/rules.ts";
import { mail } from "../../support/databases.ts";
import { aWorkspace, type TestWorkspace, testContext } from "../../support/workspace.ts";
import { aReceiver, endpointOf, forgetDue, LOCAL, runAt, webhooksOf } from "./support.ts";

beforeEach(async () => void (await forgetDue()));

/** An endpoint that is due at `at`, with a number of deliveries of so many bytes, and whether it fails. */
async function anEndpoint(
  { workspaceNumber }: Pick<TestWorkspace, "workspaceNumber">,
  { at, deliveries, bytes = 10, fails = false }: { at: number; deliveries: number; bytes?: number; fails?: boolean },
): Promise<string> {
  const id = crypto.randomUUID();
  await mail.batch([
    mail
      .prepare(
        "INSERT INTO webhook_endpoints (id, workspace, version, events, failing_since) VALUES (?1, ?2, 0, '[]', ?3)",
      )
      .bind(id, workspaceNumber, fails ? 1 : null),
    mail
      .prepare(
        `WITH RECURSIVE i (v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM i WHERE v < ?4)
         INSERT INTO webhook_deliveries (id, workspace, endpoint, email, event_type, payload, status, due_at, created_at)
         SELECT ?1 || v, ?2, ?1, 'email-' || v, 'email.inbound.forwarded', json_object('x', hex(zeroblob(?5 / 2))), 'pending', ?3, ?3 FROM i`,
      )
      .bind(id, workspaceNumber, at, deliveries, bytes),
  ]);
  return id;
}

describe("a claim", () => {
  it("takes at most 8 MB of payloads beside the first delivery of each endpoint, and 2 of one that fails", async () => {
    const a = await aWorkspace();
    const large: string[] = [];
    for (let count = 0; count < CLAIM_ENDPOINTS; count++)
      large.push(await anEndpoint(a, { at: 1, deliveries: 3, bytes: 1_900_000 }));
    const { endpoints } = await claimEndpoints(testContext(), CLAIM_ENDPOINTS);
    expect(endpoints.map(({ id }) => id).toSorted()).toEqual(large.toSorted());
    const sizes = endpoints.map(({ deliveries }) => deliveries.map(({ payload }) => payload.length));
    expect(sizes.map((some) => some.length)).toEqual(Array(CLAIM_ENDPOINTS).fill(1));
    await forgetDue();
    const [one, failing] = [
      await anEndpoint(a, { at: 2, deliveries: 5, bytes: 1_900_000 }),
      await anEndpoint(a, { at: 1, deliveries: 5, fails: true }),
    ];
    const next = await claimEndpoints(testContext(), CLAIM_ENDPOINTS);
    const taken = new Map(next.endpoints.map(({ id, deliveries }) => [id, deliveries]));
    expect(taken.get(failing)?.map(({ email }) => email)).toEqual(["email-1", "email-2"]);
    expect(taken.get(one)?.map(({ email }) => email)).toEqual(["email-1", "email-2", "email-3", "email-4"]);
    const bytes = taken.get(one)?.reduce((sum, { payload }) => sum + payload.length, 0);
    expect(bytes).toBeLessThanOrEqual(CLAIM_BYTES);
  });

  it("takes endpoints in turns of workspaces: 10,000 deliveries of one keep none of another waiting", async () => {
    const [a, b] = [await aWorkspace(), await aWorkspace()];
    for (let count = 0; count < 50; count++) await anEndpoint(a, { at: count + 1, deliveries: 200 });
    const id = await anEndpoint(b, { at: 1_000, deliveries: 1 });
    const { endpoints } = await claimEndpoints(testContext(), CLAIM_ENDPOINTS);
    expect(endpoints.map(({ workspace }) => workspace).toSorted()).toEqual(
      [...Array(CLAIM_ENDPOINTS - 1).fill(a.workspaceNumber), b.workspaceNumber].toSorted(),
    );
    expect(endpoints.find((endpoint) => endpoint.id === id)?.deliveries).toHaveLength(1);
    const plan = "EXPLAIN QUERY PLAN SELECT rowid, workspace FROM webhook_endpoints WHERE due_at <= 1";
    expect((await mail.prepare(plan).first<{ detail: string }>())?.detail).toContain("USING COVERING INDEX");
  });

  it("that fails by its content is halved: the endpoint that fails alone waits, and the others are sent", async () => {
    const workspace = await aWorkspace();
    const api = webhooksOf(workspace);
    const receivers = Array.from({ length: CLAIM_ENDPOINTS }, () => aReceiver("200"));
    const ids: string[] = [];
    for (const { url } of receivers) {
      const { id } = await api.create(url);
      await api.post(`/v1/webhooks/${id}/test`, undefined);
      ids.push(id);
    }
    const now = Date.now() + 1_000;
    const bad = ids[2];
    await mail.prepare("UPDATE webhook_endpoints SET due_at = due_at - 1000 WHERE id = ?1").bind(bad).run();
    await mail
      .prepare(
        `CREATE TRIGGER refused BEFORE UPDATE OF token ON webhook_endpoints WHEN NEW.id = '${bad}'
         BEGIN SELECT RAISE(ABORT, 'constraint failed'); END`,
      )
      .run();
    try {
      await runAt(now, LOCAL);
    } finally {
      await mail.prepare("DROP TRIGGER refused").run();
    }
    expect(await endpointOf(bad ?? "")).toMatchObject({ due_at: now + FAILED_CLAIM_MS, token: null, delivered: 0 });
    const counts = await Promise.all(receivers.map(async ({ requests }) => (await requests()).length));
    expect(counts).toEqual([1, 1, 0, 1, 1]);
  });
});
