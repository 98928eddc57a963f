import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { app } from "../../../src/app.ts";
import { enoughEligible, sampleIssue } from "../../../src/audience/broadcasts/split.ts";
import { countingDb, rowsRead, type Statement } from "../../support/counting-db.ts";
import { wrapDatabases } from "../../support/databases.ts";
import { StepRecorder } from "../../support/recorded-steps.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { apiOn, apiWith, aWorkspace, discardingQueue, perTest } from "../../support/workspace.ts";
import { aContactList, broadcastsOf, emailsOf, runBroadcasts } from "./support.ts";

/** The send of a broadcast hands it to the fan-out and responds. */

const workspace = perTest(aWorkspace);
const broadcasts = perTest(() => broadcastsOf(workspace));

describe("the send of a broadcast", () => {
  it("responds before the queue has taken its message and before an email is made", { timeout: 20_000 }, async () => {
    const { id } = await broadcasts.create({ contact_list_id: await aContactList(workspace, 120) });
    const queue = Promise.withResolvers<void>();
    const execution = createExecutionContext();
    const WORK = { ...discardingQueue, sendBatch: () => queue.promise };
    const api = apiWith(workspace.apiKey, async (request) =>
      app.fetch(request, { ...env, WORK } as unknown as Env, execution),
    );
    expect(await (await api.post(`${broadcasts.path(id)}/send`, undefined)).json()).toMatchObject({
      status: "sending",
      queued_count: 0,
    });
    expect(await emailsOf(id)).toEqual([]);
    queue.resolve();
    await waitOnExecutionContext(execution);
    await runBroadcasts();
    expect(await broadcasts.read(id)).toMatchObject({ status: "sent", delivered_count: 120 });
  });

  it("makes the same statements for a list of any size, which read a bounded number of rows", async () => {
    const small = await statementsOfSend(200);
    const large = await statementsOfSend(6_000);
    expect(large.map(({ sql }) => sql)).toEqual(small.map(({ sql }) => sql));
    const reads = large.filter(({ sql }) => /^\s*SELECT/.test(sql) && !sql.includes("idempotency"));
    expect(reads.length).toBeGreaterThan(3);
    let rows = 0;
    for (const statement of reads) rows += await rowsRead(statement);
    expect(rows).toBeLessThan(200);
  });

  it("writes the status and the row of the fan-out in one transaction", async () => {
    const { id } = await broadcasts.create({ contact_list_id: await aContactList(workspace, 2) });
    const { bindings, trips } = countingDb();
    const api = apiOn({ ...bindings, WORK: discardingQueue }, workspace.apiKey);
    expect((await api.post(`${broadcasts.path(id)}/send`, undefined)).status).toBe(200);
    const writing = trips.filter(({ rowsWritten }) => (rowsWritten ?? 0) > 0);
    expect(writing).toHaveLength(1);
    const text = writing.flatMap(({ statements }) => statements.map(({ sql }) => sql)).join("\n");
    expect(text).toContain("UPDATE broadcasts SET");
    expect(text).toContain("INTO outbox");
  });
});

describe("the fan-out of a broadcast", () => {
  it("gives way to requests before each page of contacts that it reads for the plan or for emails", async () => {
    const { id } = await broadcasts.create({ contact_list_id: await aContactList(workspace, 6_000) });
    await broadcasts.act(id, "send");
    const recorder = new StepRecorder();
    const recorded = (real: D1Database) => ({
      prepare: (sql: string) => {
        if (/FROM contact_lists l CROSS JOIN contacts/.test(sql)) recorder.add("page", 1, 0);
        return real.prepare(sql);
      },
      batch: <Result>(statements: D1PreparedStatement[]) => real.batch<Result>(statements),
    });
    await recorder.during(() => runOutboxAt(Date.now(), wrapDatabases(recorded), ["broadcast"]));
    expect((await broadcasts.read(id)).queued_count).toBe(6_000);
    const pages = recorder.steps.flatMap(({ calls }) => calls);
    // Two of the plan, and those of the emails.
    expect(pages.length).toBeGreaterThanOrEqual(2 + 6);
    expect(recorder.largest("page").rows).toBe(1);
  });
});

/** Sends a broadcast with a sample to a list of this many contacts, and returns the statements of the request in their order. */
async function statementsOfSend(contacts: number): Promise<Statement[]> {
  const contact_list_id = await aContactList(workspace, contacts);
  const { id } = await broadcasts.create({ contact_list_id, ab_test_pct: 10 });
  for (const label of ["A", "B"]) await broadcasts.addVariant(id, label);
  const { bindings, trips } = countingDb();
  const api = apiOn({ ...bindings, WORK: discardingQueue }, workspace.apiKey);
  const response = await api.post(`${broadcasts.path(id)}/send`, undefined);
  expect(response.status, await response.text()).toBe(200);
  return trips.flatMap(({ statements }) => statements);
}

it("an audience that is counted to the end of enough contacts has the issue of the whole audience", () => {
  const inputs = fc.record({
    pct: fc.integer({ min: 5, max: 90 }),
    weights: fc.array(fc.integer({ min: 1, max: 1_000 }), { minLength: 2, maxLength: 10 }),
    more: fc.nat(100_000),
  });
  fc.assert(
    fc.property(inputs, ({ pct, weights, more }) => {
      const variants = weights.map((weight, index) => ({ label: `V${index}`, weight }));
      const enough = enoughEligible(pct, variants);
      expect(sampleIssue(enough, pct, variants)).toBeNull();
      expect(sampleIssue(enough + more, pct, variants)).toBeNull();
    }),
  );
});
