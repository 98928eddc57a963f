import { createExecutionContext, createMessageBatch } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { OutboxMessage } from "../src/platform/outbox/wake.ts";
import { accepted, readEmail } from "./support/emails.ts";
import { consumeQueues, recordedMessages } from "./support/queues.ts";
import worker from "./support/worker.ts";
import { aMail, aWorkspace, perSuite } from "./support/workspace.ts";

const workspace = perSuite(aWorkspace);

const send = async () => (await accepted(await workspace.post("/v1/emails/", aMail(workspace)))).id;
const statusOf = async (id: string) => (await readEmail(workspace, id)).status;
/** Messages of the work queue that name this email's outbox row. */
const messagesOf = (id: string) =>
  recordedMessages().filter(({ body }) => (body as OutboxMessage).rows.some((row) => row.id === id));

describe("a message on a queue that test files share", () => {
  it("reaches the Worker only when the file that sent it asks for it", async () => {
    const kept = await send();
    await expect.poll(() => messagesOf(kept).map(({ queue }) => queue)).toEqual(["work"]);
    expect(await statusOf(kept)).toBe("queued");
    consumeQueues("work");
    const sent = await send();
    await expect.poll(() => statusOf(sent)).toBe("delivered");
    expect(messagesOf(sent)).toEqual([]);
  });

  it("reaches no consumer when an earlier file sent it", async () => {
    consumeQueues();
    const id = await send();
    await expect.poll(() => messagesOf(id).length).toBe(1);
    consumeQueues("work");
    const [message] = messagesOf(id);
    const body = message?.body as OutboxMessage;
    const before = recordedMessages().length;
    const consume = (timestamp: Date) =>
      worker.queue(
        createMessageBatch("work", [{ id: crypto.randomUUID(), timestamp, attempts: 1, body }]),
        env as unknown as Env,
        createExecutionContext(),
      );
    await consume(new Date(0));
    expect([await statusOf(id), recordedMessages().length]).toEqual(["queued", before]);
    await consume(new Date());
    expect(await statusOf(id)).toBe("delivered");
  });
});
