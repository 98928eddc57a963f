import { createHash } from "node:crypto";
import type { Clock } from "./clock.ts";
import { Refusal, tryAgain } from "./errors.ts";
import { type CallResult, GroupedCalls } from "./grouped-calls.ts";
import type { Leases } from "./leases.ts";
import type { AcceptedLogin } from "./logins.ts";
import type { WorkerClient, WorkerResponse } from "./worker-client.ts";

/** A small message with the mark at its end. */
export interface SmallMessage {
  login: AcceptedLogin;
  /** Id of its connection, and number of messages whose responses the client of that has received. */
  connection: string;
  sequence: number;
  envelope: { from: string; to: string[] };
  bytes: Buffer;
}

/** Messages and bytes of a call, below the limits of the Worker. */
const MAX_MESSAGES = 64;
const MAX_BYTES = 1024 * 1024;

/** Sends small messages to the Worker, those of one credential together, so that it stores them in one transaction. */
export class SubmissionGroups {
  readonly #worker: WorkerClient;
  readonly #leases: Leases;
  readonly #calls: GroupedCalls<SmallMessage, WorkerResponse>;

  constructor(worker: WorkerClient, leases: Leases, clock: Clock) {
    this.#worker = worker;
    this.#leases = leases;
    this.#calls = new GroupedCalls({
      clock,
      call: (messages) => this.#callWorker(messages),
      maxItems: MAX_MESSAGES,
      maxBytes: MAX_BYTES,
      bytesOf: ({ bytes }) => bytes.length,
      // A mail program may make a new Date and Message-ID each time, but not a new envelope.
      nameOf: ({ envelope }) => createHash("sha256").update(JSON.stringify(envelope)).digest("base64"),
    });
  }

  /** Sends a message and returns its response. Throws Refusal. */
  send(message: SmallMessage): Promise<WorkerResponse> {
    return this.#calls.send(message.login.credential, message);
  }

  async #callWorker(messages: readonly SmallMessage[]): Promise<CallResult<WorkerResponse>[]> {
    const startedAt = this.#leases.now();
    const items = messages.map(({ login, bytes, ...item }) => ({
      token: login.token,
      ...item,
      octets: bytes.length,
    }));
    const body = Buffer.concat([Buffer.from(`${JSON.stringify(items)}\n`), ...messages.map(({ bytes }) => bytes)]);
    const upload = this.#worker.upload("submission-groups", {}, body.length);
    await upload.write(body);
    const { answers: responses, lease_ms } = await upload.finish();
    const given = Array.isArray(responses) ? (responses as WorkerResponse[]) : [];
    return messages.map(({ login, envelope }, index) => {
      const response = given[index];
      if (!response) return { error: tryAgain() };
      if (response.reply !== null) return { error: new Refusal(response.reply) };
      this.#leases.grant(login.credential, [envelope.from], startedAt, lease_ms);
      return { value: response };
    });
  }
}
