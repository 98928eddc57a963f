import * as z from "zod";
import { type ApiResponse, callCloudflare } from "../cloudflare-api/request.ts";
import type { Settings } from "../settings/settings.ts";
import { fromQuotedStrings, toQuotedStrings } from "./txt-content.ts";
import { type StoredZoneRecord, ZoneError, type ZoneErrorKind, type ZonePort, type ZoneRecord } from "./zones.ts";

/** Time of one call, in ms. Cloudflare usually responds within a second. */
const TIMEOUT_MS = 8_000;
/** Bytes of a response that are read: a hundred TXT records of 2 KB. */
const MAX_RESPONSE_BYTES = 512 * 1024;
const RECORDS_PER_CALL = 100;
/** Longest wait that `Retry-After` may ask for. The limit of the API counts five minutes. */
const MAX_RETRY_AFTER_MS = 3_600_000;

const Records = z.array(
  z.object({
    id: z.string(),
    type: z.string(),
    name: z.string(),
    content: z.string(),
    ttl: z.number(),
    priority: z.number().nullish(),
    proxied: z.boolean().optional(),
  }),
);

/**
 * Error codes of Cloudflare's DNS records API. The documentation has no list of them: they are those of its page "Records with same
 * name", of public clients and of their issues. A malformed token and a wrong zone id come with the status 400.
 */
const KINDS: Readonly<Record<number, ZoneErrorKind>> = {
  81045: "full", // Record quota exceeded.
  81053: "exists", // An A, AAAA, or CNAME record with that host already exists.
  81054: "exists", // A CNAME record with that host already exists.
  81057: "exists", // The record already exists: the older form of 81058.
  81058: "exists", // An identical record already exists.
  971: "rate", // Please wait and consider throttling your request speed.
  10100: "rate", // More than 1200 requests per 300 seconds reached.
  6003: "refused", // Invalid request headers: the token is malformed.
  7003: "refused", // Could not route to the zone: its id is wrong.
  9109: "refused", // Invalid access token.
  10000: "refused", // Authentication error: the token has no right to the zone.
};

/** Code of a call on a record that does not exist. */
const NO_SUCH_RECORD = 81044;

/**
 * Returns the port to a zone at Cloudflare (API v4, DNS records of a zone). Needs a token with the permission DNS: Edit on the
 * zone. One call is one request, within TIMEOUT_MS and MAX_RESPONSE_BYTES.
 */
export function cloudflareZone(settings: Pick<Settings, "dnsApiUrl" | "dnsApiToken">, zoneId: string): ZonePort {
  const base = `${settings.dnsApiUrl}/zones/${encodeURIComponent(zoneId)}/dns_records`;
  const call = (method: string, path: string, body?: object) =>
    request(settings.dnsApiToken, method, base + path, body);
  return {
    async list(name, type) {
      const query = new URLSearchParams({ "name.exact": name, type, per_page: String(RECORDS_PER_CALL) });
      const records = Records.safeParse(await call("GET", `?${query}`));
      if (!records.success) throw new ZoneError("unknown", "the list of records is not as documented");
      // Another server may ignore the filter.
      return records.data
        .filter((record) => record.type === type && record.name.toLowerCase() === name)
        .map(
          (record): StoredZoneRecord => ({
            id: record.id,
            type,
            name,
            ttl: record.ttl,
            priority: record.priority ?? null,
            value: type === "TXT" ? fromQuotedStrings(record.content) : record.content,
            isProxied: record.proxied ?? false,
          }),
        );
    },
    create: async (record) => void (await call("POST", "", toBody(record))),
    update: async (id, record) => void (await call("PUT", `/${encodeURIComponent(id)}`, toBody(record))),
    delete: async (id) => void (await call("DELETE", `/${encodeURIComponent(id)}`)),
  };
}

const toBody = ({ type, name, value, priority, ttl, isProxied }: ZoneRecord) => ({
  type,
  name,
  ttl,
  proxied: isProxied ?? false,
  content: type === "TXT" ? toQuotedStrings(value) : value,
  ...(priority === null ? {} : { priority }),
  comment: "Published by the email service",
});

async function request(token: string, method: string, url: string, body?: object): Promise<unknown> {
  const call = { token, method, url, body, timeoutMs: TIMEOUT_MS, maxBytes: MAX_RESPONSE_BYTES };
  const response = await callCloudflare(call).catch((error: unknown) => {
    // The message of some errors has the URL, which is no secret.
    throw new ZoneError("unknown", `no response of the DNS API: ${error instanceof Error ? error.message : "unknown"}`);
  });
  if (response.isDone) return response.result;
  const isGone = response.status === 404 || response.errors?.some(({ code }) => code === NO_SUCH_RECORD);
  if (method === "DELETE" && isGone) return null;
  throw toZoneError(response);
}

function toZoneError({ status, headers, errors }: ApiResponse): ZoneError {
  const text = (errors ?? []).map(({ code, message }) => `${message} (${code})`).join("; ");
  const message = `the DNS API responded with ${status}${text === "" ? "" : `: ${text.slice(0, 300)}`}`;
  const known = errors?.map(({ code }) => KINDS[code]).find((kind) => kind !== undefined);
  if (known) return new ZoneError(known, message, retryAfter(headers));
  if (status === 429) return new ZoneError("rate", message, retryAfter(headers));
  if (/quota/i.test(text)) return new ZoneError("full", message);
  if (status === 401 || status === 403) return new ZoneError("refused", message);
  return new ZoneError(status >= 400 && status < 500 ? "invalid" : "unknown", message, retryAfter(headers));
}

function retryAfter(headers: Headers): number | null {
  const seconds = Number(headers.get("Retry-After") ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds * 1000, MAX_RETRY_AFTER_MS) : null;
}
