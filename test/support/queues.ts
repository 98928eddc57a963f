/**
 * The queues of an isolate, which its test files share. A message reaches the Worker only when the file that is running has sent it and
 * has asked for its queue: a consumer takes other due rows along, which another file's message would do to this file's rows.
 */

/** Names in wrangler.toml. */
type QueueName = "work" | "hits" | "webhooks" | "automations";

/** Longest wait at the end of a file, above the time of a request to a webhook that does not respond. */
const MOST_WAIT_MS = 60_000;

let consumed: readonly string[] = [];
let openedAt = 0;
let recorded: { queue: string; body: unknown }[] = [];
/** Events that the Worker is handling, with what follows their responses. */
let running = 0;

/** Has the Worker consume what is sent to these queues until the file ends, and to no others. */
export function consumeQueues(...names: QueueName[]): void {
  consumed = names;
}

/** Returns the messages of the running file that reached no consumer. */
export const recordedMessages = (): readonly { queue: string; body: unknown }[] => recorded;

/** Gives the queues to the file that starts. No message has been sent by it before. */
export function openQueues(): void {
  openedAt = Date.now();
  recorded = [];
}

/** Lets no further message through, and waits for the end of what the Worker is doing. */
export async function closeQueues(): Promise<void> {
  consumed = [];
  const end = Date.now() + MOST_WAIT_MS;
  while (running > 0 && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 5));
  if (running > 0) throw new Error(`${running} events of the Worker still run ${MOST_WAIT_MS} ms after the last test`);
}

/** Returns the messages that the Worker consumes, and records the others of this file. Those of earlier files are left out. */
export function takeConsumed({ queue, messages }: Pick<MessageBatch, "queue" | "messages">): Message[] {
  const own = messages.filter(({ timestamp }) => timestamp.getTime() >= openedAt);
  if (consumed.includes(queue)) return own;
  recorded.push(...own.map(({ body }) => ({ queue, body })));
  return [];
}

/** Runs a task that closeQueues waits for. */
export async function counted<Result>(task: () => Result | Promise<Result>): Promise<Result> {
  running += 1;
  try {
    return await task();
  } finally {
    running -= 1;
  }
}
