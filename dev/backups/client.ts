import { setTimeout as sleep } from "node:timers/promises";
import { operatorToken, type Target } from "../operator.ts";

/** Attempts of one request, and the wait after the first that failed, in milliseconds; it doubles. */
const ATTEMPTS = 6;
const WAIT_MS = 500;

/** A response that repeating the request would not change. */
class RefusedError extends Error {}

/** Calls the endpoints of backups of a deployment (src/operations/backups/routes.ts). Repeats requests that got no response, a 429 or a 5xx. */
export class BackupClient {
  readonly target: Target;

  constructor(target: Target) {
    this.target = target;
  }

  /** Sends a body as JSON and returns the response. Throws RefusedError with the reason of the service. */
  async call<Reply>(path: string, body: object): Promise<Reply> {
    const init = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
    return (await (await this.#request(path, init)).json()) as Reply;
  }

  /** Returns an object as a response whose body is its content; null when there is none. */
  async readObject(key: string): Promise<Response | null> {
    const response = await this.#request(
      `/auth/backup/object?key=${encodeURIComponent(key)}`,
      { method: "GET" },
      [404],
    );
    return response.status === 404 ? null : response;
  }

  /** Writes an object. `metadata` is what the list of objects had. */
  async writeObject(id: string, key: string, metadata: object, content: Blob): Promise<void> {
    const query = new URLSearchParams({ id, key });
    const headers = { "X-Object-Metadata": encodeURIComponent(JSON.stringify(metadata)) };
    await this.#request(`/auth/restore/object?${query}`, { method: "PUT", headers, body: content });
  }

  async #request(path: string, init: RequestInit, allowed: readonly number[] = []): Promise<Response> {
    for (let attempt = 1; ; attempt++) {
      const token = await operatorToken(this.target, "backup", "operator");
      const headers = { ...init.headers, Authorization: `Bearer ${token}` };
      const result = await fetch(this.target.url + path, { ...init, headers }).catch((error: Error) => error);
      if (result instanceof Response && (result.ok || allowed.includes(result.status))) return result;
      const reason =
        result instanceof Response
          ? `${result.status} ${await result.text()}`
          : ((result.cause as Error | undefined)?.message ?? result.message);
      const isFinal = result instanceof Response && result.status < 500 && result.status !== 429;
      if (isFinal) throw new RefusedError(`${path}: ${reasonOf(reason)}`);
      if (attempt === ATTEMPTS) throw new Error(`${path} failed ${ATTEMPTS} times: ${reason}`);
      await sleep(WAIT_MS * 2 ** (attempt - 1));
    }
  }
}

/** Returns the detail of an error of the service, or the text. */
function reasonOf(text: string): string {
  try {
    const { detail } = JSON.parse(text.slice(text.indexOf("{"))) as { detail: unknown };
    return typeof detail === "string" ? detail : JSON.stringify(detail);
  } catch {
    return text.slice(0, 300);
  }
}
