import * as z from "zod";
import { tryOr } from "../../lib/try-or.ts";
import { type ApiResponse, callCloudflare } from "../cloudflare-api/request.ts";
import type { HostnameSettings } from "../settings/hostnames.ts";
import type { Settings } from "../settings/settings.ts";

/** A custom hostname of Cloudflare for SaaS: a host of a customer that leads to this Worker, with a certificate. */
export interface CustomHostname {
  id: string;
  /** `active`, `pending`, `moved`, `blocked` and some more (Cloudflare for Platforms, validation status). */
  status: string;
  /** Status of its certificate, which becomes active after the hostname; null: it has none yet. */
  certificate: string | null;
}

/**
 * The result of a call. `refused`: the API never takes this name. `unavailable`: it did not respond, or has no room or no
 * permission for us; nothing is known about the hostname.
 */
export type HostnameResult<Value> =
  | { kind: "ok"; value: Value }
  | { kind: "refused"; reason: string }
  | { kind: "unavailable"; reason: string };

/** The custom hostnames of a zone. No call throws. Each is safe to repeat. */
export type CustomHostnames = ReturnType<typeof cloudflareHostnames>;

/** Longest call, in milliseconds. */
const TIMEOUT_MS = 5_000;
/** Longest response that is read, in bytes. One hostname has about 3 KB. */
const MAX_RESPONSE_BYTES = 65_536;
/** The certificate is validated by HTTP, which needs nothing of the customer but the CNAME. */
const SSL = { method: "http", type: "dv" };

/** Codes of the API (custom hostnames): the name exists; the zone has no more room; there is no such id. */
const [DUPLICATE, NO_ROOM, NOT_FOUND] = [1406, [1404, 1405], 1436];

const Hostname = z.object({
  id: z.string(),
  hostname: z.string(),
  status: z.string(),
  ssl: z.object({ status: z.string() }).nullish(),
});
type Reply = ApiResponse | { kind: "unavailable"; reason: string };

/** Returns the custom hostnames of the deployment; null: it offers none, since one of its settings is empty. */
export function customHostnames({ hostnames }: Pick<Settings, "hostnames">): CustomHostnames | null {
  return hostnames && cloudflareHostnames(hostnames);
}

/** Returns the custom hostnames of a zone by the REST API of Cloudflare. Each call takes at most 5 s and reads 64 KB. */
function cloudflareHostnames(options: HostnameSettings) {
  const call = (method: string, path: string, body?: object) => request(options, method, path, body);
  const find = (name: string): Promise<HostnameResult<CustomHostname | null>> =>
    call("GET", `?${new URLSearchParams({ hostname: name })}`).then((reply) =>
      toResult(reply, (result) => pickName(result, name)),
    );
  return {
    /** Returns the hostname of a name; null: there is none. */
    find,
    /** Returns the hostname of an id; null: there is none. */
    read: (id: string) => call("GET", `/${encodeURIComponent(id)}`).then((reply) => toResult(reply, toHostname)),
    /** Creates the hostname of a name, whose certificate is validated by HTTP. Returns the existing one if there is one. */
    async create(name: string): Promise<HostnameResult<CustomHostname | null>> {
      const reply = await call("POST", "", { hostname: name, ssl: SSL });
      return isResponse(reply) && hasCode(reply, [DUPLICATE])
        ? takeExisting(await find(name))
        : toResult(reply, toHostname);
    },
    /** Starts the validation of the certificate again. */
    restart: (id: string) =>
      call("PATCH", `/${encodeURIComponent(id)}`, { ssl: SSL }).then((reply) => toResult(reply, toHostname)),
    /** Deletes a hostname with its certificate. Succeeds when there is none. */
    remove: (id: string) => call("DELETE", `/${encodeURIComponent(id)}`).then((reply) => toResult(reply, () => null)),
  };
}

/** A name that exists, but not among the hostnames of this zone, is that of another account. */
const takeExisting = (found: HostnameResult<CustomHostname | null>): HostnameResult<CustomHostname | null> =>
  found.kind === "ok" && found.value === null
    ? { kind: "refused", reason: "the hostname belongs to another account" }
    : found;

async function request(
  { apiUrl, zoneId, token }: HostnameSettings,
  method: string,
  path: string,
  body?: object,
): Promise<Reply> {
  const url = `${apiUrl}/zones/${encodeURIComponent(zoneId)}/custom_hostnames${path}`;
  try {
    return await callCloudflare({ token, method, url, body, timeoutMs: TIMEOUT_MS, maxBytes: MAX_RESPONSE_BYTES });
  } catch (error) {
    return { kind: "unavailable", reason: error instanceof Error ? error.name : String(error) };
  }
}

const isResponse = (reply: Reply): reply is ApiResponse => !("kind" in reply);
const hasCode = ({ errors }: ApiResponse, codes: readonly number[]) =>
  errors?.some(({ code }) => codes.includes(code)) ?? false;

/** Returns the result of a response. `read` throws when the result has another form. */
function toResult<Value>(reply: Reply, read: (result: unknown) => Value): HostnameResult<Value | null> {
  if (!isResponse(reply)) return reply;
  const { status, errors } = reply;
  if (errors === null) return { kind: "unavailable", reason: `${status}, and the response has another form` };
  if (status === 404 || hasCode(reply, [NOT_FOUND])) return { kind: "ok", value: null };
  if (reply.isDone)
    return tryOr(() => ({ kind: "ok", value: read(reply.result) }), {
      kind: "unavailable",
      reason: "the response has another form",
    });
  // A token without permission, a limit and a full zone are of this service, not of the name.
  const isOurs = status >= 500 || [401, 403, 429].includes(status) || hasCode(reply, NO_ROOM);
  const reason = `${status} ${errors.map(({ code, message }) => `${code} ${message}`).join("; ")}`.slice(0, 300);
  return status >= 400 && !isOurs ? { kind: "refused", reason } : { kind: "unavailable", reason };
}

function toHostname(result: unknown): CustomHostname {
  const { id, status, ssl } = Hostname.parse(result);
  return { id, status, certificate: ssl?.status ?? null };
}

/** The API also lists names that contain the one that is asked for. */
function pickName(result: unknown, name: string): CustomHostname | null {
  const found = z
    .array(Hostname)
    .parse(result)
    .find(({ hostname }) => hostname.toLowerCase() === name);
  return found ? toHostname(found) : null;
}
