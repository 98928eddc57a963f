/** Lines of the log that name emails: from the request that accepted one to the delivery of its webhooks. */
import { createMessageBatch } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { OutboxMessage } from "../../../src/platform/outbox/wake.ts";
import { consume } from "../../../src/queue.ts";
import { aReceiver, forgetDue, LOCAL, runAt, webhooksOf } from "../../notices/webhooks/support.ts";
import { database, FILE_SHARD } from "../../support/databases.ts";
import { emptyOutbox } from "../../support/outbox.ts";
import { aMail, apiOn, aWorkspace, discardingQueue, perTest } from "../../support/workspace.ts";

interface Line {
  event: string;
  request_id: string;
  omitted?: number;
  emails?: { id: string; request_id?: string | null; outcomes?: string[]; response_status?: number }[];
}

const bindings = { ...env, ...LOCAL, WORK: discardingQueue } as unknown as Env;
const workspace = perTest(aWorkspace);
let logged: ReturnType<typeof vi.spyOn>;

beforeEach(async () => {
  await emptyOutbox();
  await forgetDue();
  logged = vi.spyOn(console, "log").mockImplementation(() => {});
});
afterEach(() => vi.restoreAllMocks());

/** Returns the lines of an event so far. */
const linesOf = (event: string) =>
  logged.mock.calls
    .map(([text]: unknown[]) => JSON.parse(String(text)) as Line)
    .filter((line: Line) => line.event === event);

const send = async (path: string, body: unknown, requestId: string) =>
  (await apiOn(LOCAL, workspace.apiKey).post(path, body, { "X-Request-Id": requestId })).json<{
    id: string;
    results: { id: string }[];
  }>();

/** Delivers every email that is due, and then the webhooks of their events. */
async function deliverAll(): Promise<void> {
  const results = await database.rows<OutboxMessage["rows"][number]>(
    "SELECT due_at AS dueAt, id, kind FROM outbox WHERE kind = 'deliver'",
  );
  const body: OutboxMessage = { type: "outbox.wake.v2", database: FILE_SHARD, rows: results };
  const message = { id: crypto.randomUUID(), timestamp: new Date(), attempts: 1, body };
  await consume(createMessageBatch<OutboxMessage>("work", [message]), bindings);
  await runAt(Date.now() + 1_000);
}

const to = [{ email: "delivered@simulator.test" }];

describe("the log of an email", () => {
  it("names it with the request id of its accept at accept, claim, outcome and webhook delivery", async () => {
    await webhooksOf(workspace).create(aReceiver().url, ["email.delivered"]);
    const first = await send("/v1/emails/", aMail(workspace, { to }), "order-7.first");
    const second = await send("/v1/emails/", aMail(workspace, { to }), "order-8.second");
    await deliverAll();
    const requestOf = new Map([
      [first.id, "order-7.first"],
      [second.id, "order-8.second"],
    ]);
    const accepted = linesOf("emails.accepted").filter(({ request_id }: Line) => request_id.startsWith("order-"));
    expect(accepted.map(({ request_id, emails }: Line) => [emails?.[0]?.id, request_id])).toEqual([...requestOf]);
    for (const event of ["delivery.claimed", "delivery.outcomes", "webhooks.attempted"]) {
      // Deliveries of a file before this one may still end.
      const emails = linesOf(event).flatMap((line: Line) => (line.emails ?? []).filter(({ id }) => requestOf.has(id)));
      const pairs = emails.map(({ id, request_id }: { id: string; request_id?: string | null }) => [id, request_id]);
      expect(new Map(pairs), event).toEqual(requestOf);
    }
    const outcome = linesOf("delivery.outcomes")
      .flatMap((line: Line) => line.emails ?? [])
      .find(({ id }: { id: string }) => id === first.id);
    expect(outcome?.outcomes).toContain("accepted-final");
    expect(linesOf("webhooks.attempted")[0]?.emails?.[0]?.response_status).toBe(200);
  });

  it("names the emails of a batch in lines of at most 100, and as many as fit into the log of one run", async () => {
    const items = Array.from({ length: 250 }, () => aMail(workspace, { to }));
    const { results } = await send("/v1/emails/batch", items, "the-batch");
    const accepted = linesOf("emails.accepted").filter(({ request_id }: Line) => request_id === "the-batch");
    expect(accepted.map(({ emails }: Line) => emails?.length)).toEqual([100, 100, 50]);
    const ids = accepted.flatMap(({ emails }: Line) => emails?.map(({ id }) => id) ?? []);
    expect(ids).toEqual(results.map(({ id }) => id));
    await deliverAll();
    const claimed = linesOf("delivery.claimed").flatMap((line: Line) => line.emails ?? []);
    expect(new Set(claimed.map(({ id }: { id: string }) => id))).toEqual(new Set(ids));
    expect(new Set(claimed.map(({ request_id }: { request_id?: string | null }) => request_id))).toEqual(
      new Set(["the-batch"]),
    );
  });

  it("has a request id of the service when that of the caller is not valid, the same as the response", async () => {
    const response = await apiOn(LOCAL, workspace.apiKey).post("/v1/emails/", aMail(workspace, { to }), {
      "X-Request-Id": "not valid",
    });
    const { id } = await response.json<{ id: string }>();
    await deliverAll();
    const given = response.headers.get("X-Request-Id");
    expect(given).toMatch(/^[0-9a-f-]{36}$/);
    const emails = linesOf("delivery.outcomes").flatMap((line: Line) => line.emails ?? []);
    expect(emails).toMatchObject([{ id, request_id: given }]);
  });

  it("of a version without request ids is null", async () => {
    const { id } = await send("/v1/emails/", aMail(workspace, { to }), "older");
    await database.run("UPDATE emails SET request_id = NULL WHERE id = ?1", [id]);
    await deliverAll();
    const emails = linesOf("delivery.claimed").flatMap((line: Line) => line.emails ?? []);
    expect(emails).toEqual([{ id, request_id: null }]);
  });
});
