import http from "node:http";
import https from "node:https";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { isRefusedValue, Refusal, StatusError, tryAgain } from "./errors.ts";
import { log } from "./log.ts";

/** A response of the Worker: `reply` refuses the command. */
export interface WorkerResponse {
  reply: string | null;
  [field: string]: unknown;
}

/** How long the Worker may take for a response, in ms. Longer than it waits for memory. */
const RESPONSE_MS = 60_000;
const MAX_RESPONSE_BYTES = 100_000;

/** A request whose body is written piece by piece. */
export interface Upload {
  /** Writes bytes. Resolves when more may follow, or when the Worker has responded already. */
  write(bytes: Uint8Array): Promise<void>;
  /** Ends the body and returns the response. Throws Refusal; `refused` is that of a value that the Worker does not take. */
  finish(refused?: string): Promise<WorkerResponse>;
  /** Breaks the request off, so that the Worker stores nothing of it. */
  abort(): void;
}

/** Calls the Worker over connections that are kept open. */
export class WorkerClient {
  readonly #url: string;
  readonly #secret: string;
  readonly #agent: http.Agent;
  readonly #module: typeof http | typeof https;

  constructor(url: string, secret: string) {
    this.#url = url;
    this.#secret = secret;
    this.#module = url.startsWith("https:") ? https : http;
    this.#agent = new this.#module.Agent({ keepAlive: true, maxSockets: 256, timeout: RESPONSE_MS });
  }

  /** Calls the Worker with JSON. Throws Refusal: that of the Worker, `refused` for a value that it does not take, or 451 when it cannot be reached. */
  async call(path: string, body: unknown, refused?: string): Promise<WorkerResponse> {
    const bytes = Buffer.from(JSON.stringify(body));
    const headers = { "Content-Type": "application/json", "Content-Length": String(bytes.length) };
    const upload = this.#open(path, headers);
    await upload.write(bytes);
    return upload.finish(refused);
  }

  /** Begins a request whose body is a message of `size` bytes, or of unknown size when it is null. */
  upload(path: string, headers: Record<string, string>, size: number | null): Upload {
    const length: Record<string, string> = size === null ? {} : { "Content-Length": String(size) };
    return this.#open(path, { "Content-Type": "message/rfc822", ...headers, ...length });
  }

  /** The header that says that a request is from the gateway. */
  get authorization(): Record<string, string> {
    return { Authorization: `Bearer ${this.#secret}` };
  }

  /** Returns the URL of a WebSocket of the Worker. */
  socketUrl(path: string): string {
    return `${this.#url.replace(/^http/, "ws")}/gateway/${path}`;
  }

  /** Posts JSON and returns the response, whose body is still to be read. Throws StatusError for another status than these. */
  open(path: string, json: string, statuses: readonly number[] = [200]): Promise<http.IncomingMessage> {
    const bytes = Buffer.from(json);
    const headers = { "Content-Type": "application/json", "Content-Length": String(bytes.length) };
    return this.#post(path, headers, [bytes], statuses);
  }

  /** Posts a message piece by piece and returns the response. Breaks the request off when the pieces fail. */
  send(
    path: string,
    headers: Record<string, string>,
    chunks: AsyncIterable<Uint8Array>,
  ): Promise<http.IncomingMessage> {
    return this.#post(path, { "Content-Type": "message/rfc822", ...headers }, chunks, [200]);
  }

  async #post(
    path: string,
    headers: Record<string, string>,
    chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    statuses: readonly number[],
  ): Promise<http.IncomingMessage> {
    const { request, responded } = this.#begin(path, headers);
    await pipeline(Readable.from(chunks), request);
    const response = await responded;
    if (statuses.includes(response.statusCode ?? 0)) return response;
    response.resume();
    throw new StatusError(response.statusCode ?? 0);
  }

  /** Returns whether the Worker responds. */
  async isReachable(): Promise<boolean> {
    try {
      const response = await fetch(`${this.#url}/health`, { signal: AbortSignal.timeout(5_000) });
      await response.arrayBuffer();
      return response.ok;
    } catch {
      return false;
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  /** Begins a request. */
  #begin(path: string, headers: Record<string, string>) {
    const request = this.#module.request(`${this.#url}/gateway/${path}`, {
      method: "POST",
      agent: this.#agent,
      headers: { ...this.authorization, ...headers },
    });
    const responded = responseOf(request);
    // Awaited after the body; until then a failure must not end the process.
    responded.catch(() => {});
    return { request, responded };
  }

  #open(path: string, headers: Record<string, string>): Upload {
    const { request, responded } = this.#begin(path, headers);
    let isOver = false;
    const replied = responded.then(readReply).finally(() => {
      isOver = true;
    });
    replied.catch(() => {});
    return {
      async write(bytes) {
        if (isOver || request.write(bytes)) return;
        await Promise.race([new Promise((resolve) => request.once("drain", resolve)), replied.catch(() => {})]);
      },
      async finish(refused) {
        request.end();
        try {
          const result = await replied;
          if (result.reply !== null) throw new Refusal(result.reply);
          return result;
        } catch (error) {
          if (error instanceof Refusal) throw error;
          if (refused !== undefined && isRefusedValue(error)) throw new Refusal(refused);
          log("worker.failed", { path, error: String(error) });
          throw tryAgain(error);
        }
      },
      abort: () => void request.destroy(),
    };
  }
}

/** Returns the response to a request, whose body is still to be read. */
function responseOf(request: http.ClientRequest): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.setTimeout(RESPONSE_MS, () => request.destroy(new Error("the Worker did not respond in time")));
    request.on("error", reject);
    request.on("close", () => reject(new Error("the connection to the Worker was closed")));
    request.on("response", resolve);
  });
}

async function readReply(response: http.IncomingMessage): Promise<WorkerResponse> {
  let text = "";
  response.setEncoding("utf8");
  for await (const chunk of response as AsyncIterable<string>) if (text.length < MAX_RESPONSE_BYTES) text += chunk;
  if (response.statusCode !== 200) throw new StatusError(response.statusCode ?? 0);
  return JSON.parse(text) as WorkerResponse;
}
