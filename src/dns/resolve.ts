import { type Answer, type DecodedPacket, decode, encode, RECURSION_DESIRED } from "dns-packet";
import type { Ctx } from "../context.ts";

export type RecordType = "TXT" | "MX" | "CNAME";

/**
 * What DNS says about a name. `known: false` when there was no answer to rely on (SERVFAIL, a timeout, a cut or
 * broken message): that is neither a yes nor a no. Values: TXT as one string, CNAME as a name, MX as
 * `<preference> <host>`; names in lower case without a final dot.
 */
export type DnsAnswer = { known: true; values: string[] } | { known: false; reason: string };

const TIMEOUT_MS = 5_000;
/** Greatest DNS message there is (RFC 1035 4.2.2). */
const MAX_OCTETS = 65_535;
/** RFC 1035 4.1.1. */
const NOERROR = 0;
const NXDOMAIN = 3;
const MESSAGE = "application/dns-message";

/** Asks the deployment's resolver over HTTPS (RFC 8484). Follows no redirect; never throws. */
export async function resolve(ctx: Ctx, name: string, type: RecordType): Promise<DnsAnswer> {
  try {
    return read(await ask(ctx.settings.dnsResolverUrl, name, type), name, type);
  } catch (error) {
    return { known: false, reason: String(error) };
  }
}

async function ask(resolver: string, name: string, type: RecordType): Promise<DecodedPacket> {
  // Id 0, so that a cache between us and the resolver can serve (RFC 8484 4.1).
  const query = encode({ type: "query", id: 0, flags: RECURSION_DESIRED, questions: [{ type, name }] });
  const url = new URL(resolver);
  url.searchParams.set("dns", query.toString("base64url"));
  const response = await fetch(url, {
    headers: { Accept: MESSAGE },
    redirect: "manual",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`the resolver answered ${response.status}`);
  }
  const octets = await response.arrayBuffer();
  if (octets.byteLength > MAX_OCTETS) throw new Error("the answer is too long");
  const message = decode(Buffer.from(octets));
  // A value that goes on past the end is read as far as it is there; its length may not even be a number then.
  if (!(decode.bytes <= octets.byteLength)) throw new Error("the answer was cut");
  return message;
}

function read(message: DecodedPacket, name: string, type: RecordType): DnsAnswer {
  // An echo of the question, or the answer to another one, holds no records either, and says nothing.
  const isAnswer =
    message.type === "response" && message.questions?.some((q) => hostOf(q.name) === hostOf(name) && q.type === type);
  if (!isAnswer) return { known: false, reason: "no answer to the question" };
  if (message.flag_tc) return { known: false, reason: "the answer was cut" };
  const rcode = (message.flags ?? 0) & 0x0f;
  if (rcode !== NOERROR && rcode !== NXDOMAIN)
    return { known: false, reason: `the resolver answered with rcode ${rcode}` };
  return {
    known: true,
    values: (message.answers ?? []).flatMap((answer) => (answer.type === type ? textOf(answer) : [])),
  };
}

function textOf(answer: Answer): string[] {
  if (answer.type === "TXT")
    return [Buffer.concat([answer.data].flat().map((part) => Buffer.from(part))).toString("utf8")];
  if (answer.type === "CNAME") return [hostOf(answer.data)];
  if (answer.type === "MX") return [`${answer.data.preference ?? 0} ${hostOf(answer.data.exchange)}`];
  return [];
}

const hostOf = (name: string) => name.toLowerCase().replace(/\.$/, "");
