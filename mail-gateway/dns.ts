import { promises as dns } from "node:dns";
import { decode, encode, type Packet } from "dns-packet";

/** Looks up DNS records as `dns.promises.resolve` does. */
export type Resolver = (name: string, type: string) => Promise<unknown[]>;

const TIMEOUT_MS = 10_000;

/** Returns the resolver of the system, or one that asks a DNS over HTTPS server (RFC 8484). */
export function createResolver(url: string | null): Resolver {
  if (url === null) return (name, type) => dns.resolve(name, type) as Promise<unknown[]>;
  return async (name, type) => {
    const query = encode({ type: "query", id: 0, flags: 0x100, questions: [{ type: type as "A", name }] });
    const response = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/dns-message", Accept: "application/dns-message" },
      body: new Uint8Array(query),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!response.ok) throw failure("ESERVFAIL", name);
    return readAnswers(decode(Buffer.from(await response.arrayBuffer())), name, type);
  };
}

function readAnswers(packet: Packet & { rcode?: string }, name: string, type: string): unknown[] {
  if (packet.rcode === "NXDOMAIN") throw failure("ENOTFOUND", name);
  if (packet.rcode !== "NOERROR") throw failure("ESERVFAIL", name);
  const data = (packet.answers ?? []).flatMap((answer) =>
    answer.type === type && "data" in answer ? [answer.data as unknown] : [],
  );
  if (data.length === 0) throw failure("ENODATA", name);
  if (type === "TXT") return data.map((value) => [value].flat().map((piece) => String(piece)));
  if (type !== "MX") return data;
  return data.map((value) => {
    const { preference, exchange } = value as { preference: number; exchange: string };
    return { priority: preference, exchange };
  });
}

/** Returns an error with a code of node:dns, by which mailauth tells "no record" from "no answer". */
const failure = (code: string, name: string) => Object.assign(new Error(`${code} ${name}`), { code });
