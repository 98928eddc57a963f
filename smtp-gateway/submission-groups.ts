import { Refusal, tryAgain } from "./errors.ts";
import type { WorkerAnswer, WorkerClient } from "./worker-client.ts";

/** A small message with the mark at its end. */
export interface SmallMessage {
  token: string;
  sequence: number;
  envelope: { from: string; to: string[] };
  octets: Buffer;
}

interface Waiting {
  message: SmallMessage;
  resolve(answer: WorkerAnswer): void;
  reject(error: unknown): void;
}

/** The messages of one username. */
interface UsernameQueue {
  waiting: Waiting[];
  /** Calls that run. */
  calls: number;
  /** Messages that are sent alone, since a group with them failed. */
  alone: number;
}

/** Calls of one username at a time: more would only make the groups smaller. More while its messages are sent alone. */
const MAX_CALLS = 1;
const MAX_CALLS_ALONE = 8;
/** Messages and octets of a call, below the limits of the Worker. */
const MAX_MESSAGES = 64;
const MAX_OCTETS = 1024 * 1024;

/**
 * Sends small messages to the Worker. While a call for a username runs, its further messages wait and then go in one call, so
 * that the Worker stores them in one transaction. A message that comes alone does not wait. Usernames do not wait for
 * each other.
 */
export class SubmissionGroups {
  readonly #worker: WorkerClient;
  readonly #queues = new Map<string, UsernameQueue>();

  constructor(worker: WorkerClient) {
    this.#worker = worker;
  }

  /** Sends a message and returns its answer. Throws Refusal. */
  send(username: string, message: SmallMessage): Promise<WorkerAnswer> {
    const queue = this.#queues.get(username) ?? { waiting: [], calls: 0, alone: 0 };
    this.#queues.set(username, queue);
    return new Promise((resolve, reject) => {
      queue.waiting.push({ message, resolve, reject });
      this.#start(username, queue);
    });
  }

  #start(username: string, queue: UsernameQueue): void {
    while (queue.calls < (queue.alone > 0 ? MAX_CALLS_ALONE : MAX_CALLS) && queue.waiting.length > 0) {
      const group = takeGroup(queue);
      queue.calls += 1;
      void this.#call(queue, group).finally(() => {
        queue.calls -= 1;
        if (queue.waiting.length > 0) this.#start(username, queue);
        // Messages of a failed group come again later and are then sent alone, so this number must outlast the pause.
        else if (queue.calls === 0 && queue.alone === 0) this.#queues.delete(username);
      });
    }
  }

  async #call(queue: UsernameQueue, group: readonly Waiting[]): Promise<void> {
    try {
      const answers = await this.#callWorker(group.map(({ message }) => message));
      for (const [index, { resolve, reject }] of group.entries()) {
        const answer = answers[index];
        if (!answer) reject(tryAgain());
        else if (answer.reply === null) resolve(answer);
        else reject(new Refusal(answer.reply));
      }
    } catch (error) {
      // One message may be what the Worker fails on: when they are sent again, the others must not fail with it.
      if (group.length > 1) queue.alone = 2 * group.length;
      for (const { reject } of group) reject(error);
    }
  }

  async #callWorker(messages: readonly SmallMessage[]): Promise<WorkerAnswer[]> {
    const items = messages.map(({ octets, ...item }) => ({ ...item, octets: octets.length }));
    const body = Buffer.concat([Buffer.from(`${JSON.stringify(items)}\n`), ...messages.map(({ octets }) => octets)]);
    const upload = this.#worker.upload("submission-groups", {}, body.length);
    await upload.write(body);
    const { answers } = await upload.finish();
    return Array.isArray(answers) ? (answers as WorkerAnswer[]) : [];
  }
}

function takeGroup(queue: UsernameQueue): Waiting[] {
  if (queue.alone > 0) {
    queue.alone -= 1;
    return queue.waiting.splice(0, 1);
  }
  let [count, octets] = [0, 0];
  for (const { message } of queue.waiting) {
    octets += message.octets.length;
    if (count > 0 && (octets > MAX_OCTETS || count === MAX_MESSAGES)) break;
    count += 1;
  }
  return queue.waiting.splice(0, count);
}
