import { chunks } from "../../lib/chunks.ts";
import type { WakeUp } from "../context.ts";

/** A queue message, tagged and versioned. It carries row keys only. */
export interface OutboxMessage {
  type: "outbox.wake.v2";
  /** The database of the outbox: the number of a mail database, or `main`. */
  database: number | "main";
  rows: WakeUp[];
}

/** Keeps a full consumer batch of 100 messages within the 1,000 D1 queries of one invocation. */
const ROWS_PER_MESSAGE = 10;
/** Messages that one `sendBatch` takes (Queues limits: 100 messages, 256 KB; each of these is about 1 KB). */
const MESSAGES_PER_CALL = 100;

/** Sends queue messages that name these rows of the outbox of `database`, delivered after `delaySeconds`. Throws what the queue throws. */
export async function wake(
  queue: Queue,
  database: OutboxMessage["database"],
  rows: readonly WakeUp[],
  delaySeconds: number,
): Promise<void> {
  for (const messages of chunks(toMessages(database, rows, delaySeconds), MESSAGES_PER_CALL))
    await queue.sendBatch(messages);
}

function toMessages(
  database: OutboxMessage["database"],
  rows: readonly WakeUp[],
  delaySeconds: number,
): MessageSendRequest<OutboxMessage>[] {
  return chunks(rows, ROWS_PER_MESSAGE).map((chunk) => ({
    body: { type: "outbox.wake.v2", database, rows: chunk },
    ...(delaySeconds > 0 ? { delaySeconds } : {}),
  }));
}
