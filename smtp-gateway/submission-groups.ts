import { Refusal, tryAgain } from "./errors.ts";
import { type Answer, GroupedCalls } from "./grouped-calls.ts";
import type { WorkerAnswer, WorkerClient } from "./worker-client.ts";

/** A small message with the mark at its end. */
export interface SmallMessage {
  token: string;
  sequence: number;
  envelope: { from: string; to: string[] };
  octets: Buffer;
}

/** Messages and octets of a call, below the limits of the Worker. */
const MAX_MESSAGES = 64;
const MAX_OCTETS = 1024 * 1024;

/** Sends small messages to the Worker, those of one username together, so that it stores them in one transaction. */
export class SubmissionGroups {
  readonly #worker: WorkerClient;
  readonly #calls: GroupedCalls<SmallMessage, WorkerAnswer>;

  constructor(worker: WorkerClient) {
    this.#worker = worker;
    this.#calls = new GroupedCalls({
      call: (messages) => this.#callWorker(messages),
      maxItems: MAX_MESSAGES,
      maxOctets: MAX_OCTETS,
      octetsOf: ({ octets }) => octets.length,
    });
  }

  /** Sends a message and returns its answer. Throws Refusal. */
  send(username: string, message: SmallMessage): Promise<WorkerAnswer> {
    return this.#calls.send(username, message);
  }

  async #callWorker(messages: readonly SmallMessage[]): Promise<Answer<WorkerAnswer>[]> {
    const items = messages.map(({ octets, ...item }) => ({ ...item, octets: octets.length }));
    const body = Buffer.concat([Buffer.from(`${JSON.stringify(items)}\n`), ...messages.map(({ octets }) => octets)]);
    const upload = this.#worker.upload("submission-groups", {}, body.length);
    await upload.write(body);
    const { answers } = await upload.finish();
    const given = Array.isArray(answers) ? (answers as WorkerAnswer[]) : [];
    return messages.map((_, index) => toAnswer(given[index]));
  }
}

function toAnswer(answer: WorkerAnswer | undefined): Answer<WorkerAnswer> {
  if (!answer) return { error: tryAgain() };
  return answer.reply === null ? { value: answer } : { error: new Refusal(answer.reply) };
}
