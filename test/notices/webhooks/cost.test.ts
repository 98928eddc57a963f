import { beforeEach, describe, expect, it } from "vitest";
import { runWebhooks } from "../../../src/notices/webhooks/run.ts";
import { countingDb } from "../../support/counting-db.ts";
import { aWorkspace, testContext } from "../../support/workspace.ts";
import { aReceiver, forgetDue, LOCAL, webhooksOf } from "./support.ts";

beforeEach(async () => void (await forgetDue()));

/** Runs this number of deliveries to each of some endpoints, and counts D1 calls and rows. */
async function costOf(endpoints: number, deliveries: number) {
  const workspace = await aWorkspace();
  const api = webhooksOf(workspace);
  const receivers = [];
  for (let count = 0; count < endpoints; count++) {
    const receiver = aReceiver("200");
    receivers.push(receiver);
    const { id } = await api.create(receiver.url);
    for (let test = 0; test < deliveries; test++) await api.post(`/v1/webhooks/${id}/test`, undefined);
  }
  const { bindings, trips } = countingDb();
  await runWebhooks(testContext({ ...LOCAL, ...bindings }));
  const requests = (await Promise.all(receivers.map((receiver) => receiver.requests()))).flat();
  expect(requests).toHaveLength(endpoints * deliveries);
  const isOutcome = (trip: (typeof trips)[number]) =>
    trip.statements.some(({ sql }) => sql.includes("UPDATE webhook_deliveries SET status = j.value"));
  return {
    // Outcomes are written as they come, so the number of these calls depends on the moment.
    outcomeCalls: trips.filter(isOutcome).length,
    otherCalls: trips.filter((trip) => !isOutcome(trip)).length,
    rows: trips.reduce((sum, { rowsWritten }) => sum + (rowsWritten ?? 0), 0),
  };
}

describe("a run", () => {
  for (const { endpoints, deliveries, calls, rows } of [
    { endpoints: 1, deliveries: 1, calls: 3, rows: 6 },
    { endpoints: 1, deliveries: 20, calls: 3, rows: 63 },
    { endpoints: 5, deliveries: 4, calls: 8, rows: 75 },
    { endpoints: 6, deliveries: 1, calls: 10, rows: 36 },
  ])
    it(`makes at most ${calls} D1 calls beside its outcomes and writes ${rows} rows for ${endpoints} x ${deliveries} deliveries`, async () => {
      const cost = await costOf(endpoints, deliveries);
      expect(cost.otherCalls).toBeLessThanOrEqual(calls);
      expect(cost.rows).toBe(rows);
      expect(cost.outcomeCalls).toBeLessThanOrEqual(endpoints * deliveries);
    });
});
