/** Reading the contents of a batch: neighbouring documents by one R2 read, and each email its own. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import type { WakeUp } from "../../../src/platform/context.ts";
import type { OutboxMessage } from "../../../src/platform/outbox/wake.ts";
import { deliver } from "../../../src/sending/delivery/index.ts";
import { egressWithoutNetwork } from "../../support/accepting-egress.ts";
import { database } from "../../support/databases.ts";
import { ManualQueue } from "../../support/failures.ts";
import { aMail, apiOn, aWorkspace, perTest, recordingContext } from "../../support/workspace.ts";

const workspace = perTest(aWorkspace);

beforeEach(async () => {
  await database.run("DELETE FROM outbox");
});

/** An egress without a network, which keeps the text of each message by its recipient. */
function readingEgress(connections: number) {
  const messages = new Map<string, string>();
  const egress = egressWithoutNetwork({
    connections,
    async onSend({ recipients }, message) {
      let text = "";
      for await (const chunk of message.chunks()) text += new TextDecoder().decode(chunk);
      for (const { address } of recipients) messages.set(address, text);
      return undefined;
    },
  });
  return { egress, messages };
}

/** Returns a bucket that counts the reads and fails those numbered in `fails`, from 1. */
function countingBucket(fails: readonly number[] = []) {
  const reads: R2GetOptions["range"][] = [];
  const CONTENT = {
    get(key: string, options: R2GetOptions) {
      reads.push(options.range);
      if (fails.includes(reads.length)) return Promise.reject(new Error("R2 is unavailable"));
      return env.CONTENT.get(key, options);
    },
  };
  return { CONTENT, reads };
}

/** Sends a batch and returns its outbox rows. Email `n` goes to `f<n>@example.org`, and its text begins with `mark <n>.` */
async function acceptBatch(items: Record<string, unknown>[]): Promise<WakeUp[]> {
  const queue = new ManualQueue<OutboxMessage>();
  const mails = items.map((item, n) =>
    aMail(workspace, { to: [{ email: `f${n}@example.org` }], text: textOf(n), ...item }),
  );
  expect((await apiOn({ WORK: queue }, workspace.apiKey).post("/v1/emails/batch", mails)).status).toBe(202);
  return queue.take().flatMap(({ rows }) => rows);
}

const textOf = (n: number, length = 5_000) => `mark ${n}. ${"words ".repeat(length / 6)}`;
const marks = (messages: ReadonlyMap<string, string>) =>
  [...messages].map(([address, text]) => [address, /mark (\d+)\./.exec(text)?.[1]]).sort();
const expected = (numbers: readonly number[]) => numbers.map((n) => [`f${n}@example.org`, String(n)]).sort();
const range = (count: number) => Array.from({ length: count }, (_, n) => n);

async function statuses(): Promise<Record<string, number>> {
  const results = await database.rows<{ status: string; n: number }>(
    "SELECT status, count(*) AS n FROM emails WHERE workspace = ?1 GROUP BY status",
    [workspace.workspaceNumber],
  );
  return Object.fromEntries(results.map(({ status, n }) => [status, n]));
}

describe("the contents of a batch", () => {
  it("are read by ranges of at most 256 KiB, and each recipient gets its own", async () => {
    const rows = await acceptBatch(range(90).map(() => ({})));
    const { CONTENT, reads } = countingBucket();
    const { egress, messages } = readingEgress(4);
    await deliver(recordingContext({ CONTENT }).ctx, rows, egress);
    expect(marks(messages)).toEqual(expected(range(90)));
    expect(reads.length).toBe(2);
    for (const read of reads) expect((read as { length: number }).length).toBeLessThanOrEqual(262_144);
  });

  it("are those of each email also with attachments, long texts and suppressed recipients between them", async () => {
    await workspace.post("/v1/suppressions/", { email: "f3@example.org", reason: "manual" });
    const file = { filename: "a.txt", content_base64: btoa("x".repeat(30_000)) };
    const rows = await acceptBatch(
      range(12).map((n) => ({
        ...(n % 4 === 1 ? { attachments: [file] } : {}),
        ...(n % 4 === 2 ? { html: `<p>mark ${n}.</p>${"<b>é</b>".repeat(3_000)}` } : {}),
      })),
    );
    const { CONTENT } = countingBucket();
    const { egress, messages } = readingEgress(4);
    await deliver(recordingContext({ CONTENT }).ctx, rows, egress);
    expect(marks(messages)).toEqual(expected(range(12).filter((n) => n !== 3)));
    for (const n of [1, 5, 9]) expect(messages.get(`f${n}@example.org`)).toContain('filename="a.txt"');
    for (const n of [2, 6, 10]) expect(messages.get(`f${n}@example.org`)).toContain("text/html");
  });

  it("are read again when a read fails: no email waits", async () => {
    const rows = await acceptBatch(range(20).map(() => ({})));
    const { CONTENT, reads } = countingBucket([1, 2]);
    const { egress, messages } = readingEgress(1);
    await deliver(recordingContext({ CONTENT }).ctx, rows, egress);
    expect(marks(messages)).toEqual(expected(range(20)));
    expect(reads.length).toBe(3);
  });

  it("are read again for the others when a read fails three times: one email waits for its next attempt", async () => {
    const rows = await acceptBatch(range(20).map(() => ({})));
    const { CONTENT, reads } = countingBucket([1, 2, 3]);
    const { egress, messages } = readingEgress(1);
    await deliver(recordingContext({ CONTENT }).ctx, rows, egress);
    expect(marks(messages)).toEqual(expected(range(20).slice(1)));
    expect(reads.length).toBe(4);
    expect(await statuses()).toEqual({ queued: 1, delivered: 19 });
  });

  it("that were deleted fail their emails for good", async () => {
    const rows = await acceptBatch(range(5).map(() => ({})));
    const { objects } = await env.CONTENT.list({ prefix: `w/${workspace.workspaceId}/` });
    await env.CONTENT.delete(objects.map(({ key }) => key));
    const { egress, messages } = readingEgress(2);
    await deliver(recordingContext().ctx, rows, egress);
    expect([messages.size, await statuses()]).toEqual([0, { failed: 5 }]);
  });
});
