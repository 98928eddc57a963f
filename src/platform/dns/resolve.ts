import { type Answer, type DecodedPacket, decode, encode, RECURSION_DESIRED, type SrvData } from "dns-packet";
import type { Ctx } from "../context.ts";

export type RecordType = "TXT" | "MX" | "CNAME" | "SRV";

type QueryType = RecordType | "A" | "AAAA" | "PTR";

/**
 * The answer of DNS for one name and type. `temperror` (RFC 8601 2.7): no usable answer (SERVFAIL, a timeout, a
 * truncated or malformed message), which shows neither that a record exists nor that it does not. Values: TXT as one
 * string, CNAME and PTR as a name, MX as `<preference> <host>`, SRV as `<priority> <weight> <port> <host>`, A and AAAA as an IP address; names in lower case without a final dot.
 */
export type DnsResult =
  | {
      status: "ok";
      values: string[];
      /** Names to which CNAMEs lead from the name that was asked, in their order. */
      aliases?: string[];
    }
  | { status: "temperror"; reason: string };

const TIMEOUT_MS = 5_000;
/** Largest DNS message in bytes (RFC 1035 4.2.2: a length of 16 bits). */
const MAX_MESSAGE_BYTES = 65_535;
/** Response codes (RFC 1035 4.1.1). */
const NOERROR = 0;
const NXDOMAIN = 3;
const DNS_MESSAGE = "application/dns-message";

/** Queries the configured resolver over HTTPS (RFC 8484). Does not follow redirects. Never throws. */
export async function resolve(ctx: Pick<Ctx, "settings">, name: string, type: QueryType): Promise<DnsResult> {
  try {
    return parseAnswer(await query(ctx.settings.dnsResolverUrl, name, type), name, type);
  } catch (error) {
    return { status: "temperror", reason: String(error) };
  }
}

async function query(resolver: string, name: string, type: QueryType): Promise<DecodedPacket> {
  // Id 0 lets HTTP caches serve the answer (RFC 8484 4.1).
  const packet = encode({ type: "query", id: 0, flags: RECURSION_DESIRED, questions: [{ type, name }] });
  const url = new URL(resolver);
  url.searchParams.set("dns", packet.toString("base64url"));
  const response = await fetch(url, {
    headers: { Accept: DNS_MESSAGE },
    redirect: "manual",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`the resolver responded with ${response.status}`);
  }
  const bytes = await response.arrayBuffer();
  if (bytes.byteLength > MAX_MESSAGE_BYTES)
    throw new Error(`the response has ${bytes.byteLength} bytes; the limit is ${MAX_MESSAGE_BYTES}`);
  const message = decode(Buffer.from(bytes));
  // dns-packet does not throw on a value that exceeds the message; it then counts too many bytes, or NaN.
  if (!(decode.bytes <= bytes.byteLength)) throw new Error("the response is truncated");
  return message;
}

function parseAnswer(message: DecodedPacket, name: string, type: QueryType): DnsResult {
  // An echo of the query, or the answer to another query, has no matching records either, but proves nothing.
  const isAnswer =
    message.type === "response" &&
    message.questions?.some((q) => normalizeName(q.name) === normalizeName(name) && q.type === type);
  if (!isAnswer) return { status: "temperror", reason: "the response does not answer the query" };
  if (message.flag_tc) return { status: "temperror", reason: "the response is truncated" };
  const rcode = (message.flags ?? 0) & 0x0f;
  if (rcode !== NOERROR && rcode !== NXDOMAIN)
    return { status: "temperror", reason: `the resolver responded with rcode ${rcode}` };
  const valuesOfType = (wanted: QueryType) =>
    (message.answers ?? []).flatMap((answer) => (answer.type === wanted ? valuesOf(answer) : []));
  const aliases = valuesOfType("CNAME");
  return { status: "ok", values: valuesOfType(type), ...(aliases.length > 0 && { aliases }) };
}

function valuesOf(answer: Answer): string[] {
  if (answer.type === "TXT")
    return [Buffer.concat([answer.data].flat().map((part) => Buffer.from(part))).toString("utf8")];
  if (answer.type === "CNAME" || answer.type === "PTR") return [normalizeName(answer.data)];
  if (answer.type === "MX") return [`${answer.data.preference ?? 0} ${normalizeName(answer.data.exchange)}`];
  if (answer.type === "SRV") return [srvValue(answer.data)];
  if (answer.type === "A" || answer.type === "AAAA") return [answer.data];
  return [];
}

const srvValue = ({ priority = 0, weight = 0, port, target }: SrvData) =>
  `${priority} ${weight} ${port} ${normalizeName(target) || "."}`;

const normalizeName = (name: string) => name.toLowerCase().replace(/\.$/, "");
