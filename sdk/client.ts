import { type Lists, type Operations, routes } from "./generated/operations.ts";
import { readPages } from "./pages.ts";
import { type Call, type ClientOptions, type RequestOptions, type Route, send } from "./request.ts";

/** The operations of the API, named as in its OpenAPI document. `all` has its lists, page by page. */
export type Client = Operations & { all: Lists };

/**
 * Returns a client of the service. Throws a TypeError for a base URL or key that no request could use, and an Error in a browser:
 * an API key there belongs to every visitor.
 */
export function createClient(options: ClientOptions): Client {
  if ("document" in globalThis)
    throw new Error("An API key does not belong in a browser. Call your own server instead.");
  requireOptions(options);
  const client: Record<string, unknown> = {};
  const all: Record<string, unknown> = {};
  for (const [name, route] of Object.entries(routes)) {
    client[name] = (...args: unknown[]) => run(options, route, args);
    if (route.items !== undefined) all[name] = (...args: unknown[]) => readPages(options, route, toCall(route, args));
  }
  return { ...client, all } as unknown as Client;
}

/** Throws a TypeError for options of which every call would fail: often a variable of the environment that is not set. */
function requireOptions({ baseUrl, apiKey }: ClientOptions): void {
  if (!/^https?:\/\/[^/]/i.test(baseUrl ?? "") || !URL.canParse(baseUrl))
    throw new TypeError("baseUrl is the address of the service, such as https://mail.example.com");
  if (typeof apiKey !== "string" || !/^[\x21-\x7e]+$/.test(apiKey))
    throw new TypeError("apiKey is an API key or an access token; it is empty or has characters that no key has");
}

async function run(options: ClientOptions, route: Route, args: unknown[]): Promise<unknown> {
  const response = await send(options, route, toCall(route, args));
  if (route.raw) return response;
  const text = await response.text();
  return text === "" ? null : JSON.parse(text);
}

/** Takes the arguments of an operation apart: parameters of the path, then body, query and options. */
function toCall(route: Route, args: unknown[]): Call {
  const rest = [...args];
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => toSegment(name, rest.shift()));
  const body = route.body === undefined ? undefined : rest.shift();
  const query = route.query ? ((rest.shift() ?? {}) as Record<string, unknown>) : {};
  return { ...((rest.shift() ?? {}) as RequestOptions), path, body, query };
}

/** Encodes a parameter of the path. The URL parser would remove "." and "..", and "" is another path. Throws a TypeError. */
function toSegment(name: string, value: unknown): string {
  const text = Number.isSafeInteger(value) ? String(value) : value;
  if (typeof text !== "string" || /^\.{0,2}$/.test(text)) throw new TypeError(`${name} is missing or not valid`);
  return encodeURIComponent(text);
}
