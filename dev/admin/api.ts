import { ANY_ADMIN } from "../../src/identity/sign-ins/operator-sessions/start.ts";
import { askAsOperator, detailOf, type Target } from "../operator.ts";

/** Rows of one page of a list. */
const PAGE_ROWS = 500;

/** The admin API of a deployment, called as one of its platform administrators. */
export class AdminApi {
  readonly #url: string;
  readonly #session: { id: string; token: string };
  /** Address of the administrator, whom the audit log names. */
  readonly email: string;

  private constructor(url: string, email: string, session: { id: string; token: string }) {
    this.#url = url;
    this.email = email;
    this.#session = session;
  }

  /** Starts a session of the administrator with this address, or of the first one. Throws an Error with the service's reason. */
  static async open(target: Target, email = ANY_ADMIN): Promise<AdminApi> {
    const request = { kind: "operator", subject: email } as const;
    const result = await askAsOperator<{ session_id: string; email: string; access_token: string }>(
      target,
      "/auth/operator-session",
      request,
    );
    return new AdminApi(target.url, result.email, { id: result.session_id, token: result.access_token });
  }

  /** Name of the session cookie (src/http/cookies.ts). */
  get #cookie(): string {
    return this.#url.startsWith("https:") ? "__Host-session" : "session";
  }

  /** Ends the session. */
  async close(): Promise<void> {
    await this.call("DELETE", `/v1/sessions/${this.#session.id}`);
  }

  /** Calls an endpoint and returns its body, null when it has none. Throws an Error with the service's reason. */
  async call<Body>(method: string, path: string, body?: unknown): Promise<Body> {
    return (await this.#send<Body>(method, path, body)).body;
  }

  /** Returns the first `limit` rows of a list, over its pages. `path` has no query, or one that ends it. */
  async list<Row>(path: string, limit: number): Promise<Row[]> {
    const rows: Row[] = [];
    const query = `${path.includes("?") ? "&" : "?"}limit=${Math.min(limit, PAGE_ROWS)}`;
    for (let next: string | null = path + query; next !== null && rows.length < limit; ) {
      const page: { body: Row[]; next: string | null } = await this.#send<Row[]>("GET", next);
      rows.push(...page.body);
      next = page.next;
    }
    return rows.slice(0, limit);
  }

  async #send<Body>(method: string, path: string, body?: unknown): Promise<{ body: Body; next: string | null }> {
    const headers = { Cookie: `${this.#cookie}=${this.#session.token}`, Origin: this.#url };
    const response = await fetch(this.#url + path, {
      method,
      headers: body === undefined ? headers : { ...headers, "Content-Type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`The service refused (${response.status}): ${detailOf(text)}`);
    const [, next] = /<([^>]+)>; rel="next"/.exec(response.headers.get("Link") ?? "") ?? [];
    const nextUrl = next === undefined ? null : new URL(next, this.#url);
    return {
      body: (text === "" ? null : JSON.parse(text)) as Body,
      next: nextUrl === null ? null : nextUrl.pathname + nextUrl.search,
    };
  }
}
