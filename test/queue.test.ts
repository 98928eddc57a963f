import { createExecutionContext, createMessageBatch, createScheduledController, getQueueResult } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { runSchedule } from "../src/cron.ts";
import { firstIdAt } from "../src/platform/audit/rules.ts";
import type { OutboxMessage } from "../src/platform/outbox/wake.ts";
import { consume, consumeDeadLetters } from "../src/queue.ts";
import { database, FILE_SHARD } from "./support/databases.ts";
import { sinkServer } from "./support/smtp-control.ts";
import { aMail, aWorkspace, discardingQueue } from "./support/workspace.ts";

const at = new Date();
const message = (id: string, body: unknown) => ({ id, timestamp: at, attempts: 1, body: body as OutboxMessage });

async function anAcceptedMail() {
  const workspace = await aWorkspace();
  const { post } = workspace.withoutQueue;
  const { id } = await (await post("/v1/emails/", aMail(workspace))).json<{ id: string }>();
  const row = await database.row<OutboxMessage["rows"][number]>(
    "SELECT due_at AS dueAt, id, kind FROM outbox WHERE id = ?1",
    [id],
  );
  const status = async () => (await (await workspace.get(`/v1/emails/${id}`)).json<{ status: string }>()).status;
  return { status, rows: row ? [row] : [] };
}

describe("the work queue", () => {
  it("a message of an unknown format is retried alone, without delaying the others", async () => {
    const sink = await sinkServer();
    const { rows, status } = await anAcceptedMail();
    const batch = createMessageBatch<OutboxMessage>("work", [
      message("unknown", { type: "bare" }),
      message("empty", null),
      message("good", { type: "outbox.wake.v2", database: FILE_SHARD, rows }),
    ]);
    await consume(batch, { ...env, EGRESS_URL: sink.url } as unknown as Env);
    expect(await status()).toBe("delivered");
    const { retryMessages } = await getQueueResult(batch, createExecutionContext());
    expect(retryMessages.map(({ msgId }) => msgId).sort()).toEqual(["empty", "unknown"]);
  });

  it("a dead letter is recorded once", async () => {
    const batch = createMessageBatch<OutboxMessage>("work-dead", [message("dead-1", { type: "bare" })]);
    await consumeDeadLetters(batch, env);
    await consumeDeadLetters(batch, env);
    const results = await database.rows("SELECT id, queue, body FROM dead_letters WHERE id = 'dead-1'");
    expect(results).toEqual([{ id: "dead-1", queue: "work-dead", body: '{"type":"bare"}' }]);
  });
});

describe("cron", () => {
  const fire = (cron: string, bindings: Record<string, unknown> = {}, scheduledTime = new Date()) =>
    runSchedule(createScheduledController({ cron, scheduledTime }), { ...env, ...bindings } as unknown as Env);

  it("delivers due emails itself when the queue refuses messages", async () => {
    const sink = await sinkServer();
    const { status } = await anAcceptedMail();
    const WORK = {
      sendBatch: async () => {
        throw new Error("Too Many Requests");
      },
    };
    await fire("* * * * *", { WORK, EGRESS_URL: sink.url });
    expect(await status()).toBe("delivered");
  });

  it("a restart ends the leases taken before it, and no later ones", async () => {
    const { rows } = await anAcceptedMail();
    const [row] = rows;
    const claimAt = (at: number) =>
      database.run("UPDATE outbox SET leased_until = ?1 + 120000, token = ?2, claims = 5 WHERE id = ?3", [
        at,
        firstIdAt(at),
        row?.id,
      ]);
    const lease = () =>
      database.row<{ token: string | null }>("SELECT token, claims FROM outbox WHERE id = ?1", [row?.id]);
    const start = Date.now();
    await claimAt(start + 1_000);
    await fire("restart", { WORK: discardingQueue }, new Date(start));
    expect(await lease()).toEqual({ token: firstIdAt(start + 1_000), claims: 5 });
    await claimAt(start - 1_000);
    await fire("restart", { WORK: discardingQueue }, new Date(start));
    // Two claims remain, so that the next claim counts as a repeat after an interruption.
    expect(await lease()).toEqual({ token: null, claims: 2 });
  });

  it("deletes idempotency responses older than 24 hours, and only those", async () => {
    const today = Math.floor(Date.now() / 86_400_000);
    const insert = (day: number) =>
      database.run("INSERT INTO idempotency_keys VALUES (?1, 424242, 'k', 'f', '{}', 1)", [day]);
    await Promise.all([today, today - 1, today - 2, today - 9].map(insert));
    await fire("17 * * * *");
    const results = await database.rows("SELECT day FROM idempotency_keys WHERE workspace = 424242 ORDER BY day");
    expect(results).toEqual([{ day: today - 1 }, { day: today }]);
  });

  it("throws for an unknown schedule", async () => {
    await expect(fire("0 0 * * *")).rejects.toThrow("no task for the schedule 0 0 * * *");
  });
});
