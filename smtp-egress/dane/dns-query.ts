import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import net, { isIPv6 } from "node:net";
import {
  type Answer,
  AUTHENTIC_DATA,
  type DecodedPacket,
  decode,
  encode,
  RECURSION_DESIRED,
  type RecordType,
} from "dns-packet";
import { withTimeout } from "../../src/lib/deadline.ts";
import type { ResolverAddress } from "./resolver-address.ts";

/** The response to a question: its records, none when there are none. */
export interface DnsResponse {
  answers: readonly Answer[];
  /** The resolver has validated it by DNSSEC: the AD bit (RFC 4035 3.2.3). */
  isSecure: boolean;
}

/** One try, in ms, and tries over UDP. */
const TIMEOUT_MS = 1_500;
const TRIES = 2;
/** Longest response over UDP, which no path fragments, and over TCP, whose length has 16 bits (RFC 1035 4.2.2). */
const UDP_BYTES = 1_232;
const LENGTH_BYTES = 2;
const IDS = 65_536;
const NXDOMAIN = 3;
/** Labels of 1 to 63 bytes, 253 in all (RFC 1035 2.3.4): no query can have another name, and no other name has records. */
const NAME = /^(?=.{1,253}$)[^.]{1,63}(?:\.[^.]{1,63})*$/s;
const RCODES = ["NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED"];

/** Asks a resolver one question, over UDP and then over TCP when the response is truncated. Throws an Error that says why it has no answer. */
export async function queryDns(resolver: ResolverAddress, name: string, type: RecordType): Promise<DnsResponse> {
  if (!NAME.test(Buffer.from(name).toString("latin1"))) return { answers: [], isSecure: false };
  const id = randomInt(IDS);
  const query = encode({
    type: "query",
    id,
    // With AD in the query the resolver tells whether its response is secure, without the signatures (RFC 6840 5.7).
    flags: RECURSION_DESIRED | AUTHENTIC_DATA,
    questions: [{ type, name }],
    additionals: [
      { type: "OPT", name: ".", udpPayloadSize: UDP_BYTES, extendedRcode: 0, ednsVersion: 0, flags: 0, ...NO_OPTIONS },
    ],
  });
  const read = (bytes: Buffer) => readResponse(bytes, { id, name, type });
  const first = await retried(() => exchangeUdp(resolver, query, read));
  const response = first.flag_tc ? await exchangeTcp(resolver, query, read) : first;
  if (response.flag_tc) throw new Error("its response over TCP is truncated");
  const rcode = (response.flags ?? 0) & 0x0f;
  if (rcode !== 0 && rcode !== NXDOMAIN) throw new Error(RCODES[rcode] ?? `response code ${rcode}`);
  return { answers: response.answers ?? [], isSecure: response.flag_ad };
}

const NO_OPTIONS = { flag_do: false, options: [] };

async function retried<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries === TRIES) throw error;
    }
  }
}

type Read = (bytes: Buffer) => DecodedPacket | null;

/** Returns a response, or null when it is one to another question. Throws when it is malformed. */
function readResponse(bytes: Buffer, asked: { id: number; name: string; type: RecordType }): DecodedPacket | null {
  const message = decoded(bytes);
  const [question] = message.questions ?? [];
  const isAsked = question?.type === asked.type && question.name.toLowerCase() === asked.name.toLowerCase();
  return message.flag_qr && message.id === asked.id && isAsked ? message : null;
}

function decoded(bytes: Buffer): DecodedPacket {
  try {
    const message = decode(bytes);
    // dns-packet does not throw on a value that exceeds the message; it then counts too many bytes, or NaN.
    if (decode.bytes <= bytes.length) return message;
  } catch {
    // It throws on others.
  }
  throw new Error("its response is malformed");
}

function exchangeUdp({ address, port }: ResolverAddress, query: Buffer, read: Read): Promise<DecodedPacket> {
  const socket = createSocket(isIPv6(address) ? "udp6" : "udp4");
  const response = new Promise<DecodedPacket>((resolve, reject) => {
    socket.on("error", reject);
    socket.on("message", (bytes) => {
      try {
        const message = read(bytes);
        if (message) resolve(message);
      } catch (error) {
        reject(error);
      }
    });
    // Connected, so that only this resolver is heard, and a closed port is known at once.
    socket.connect(port, address, () => socket.send(query));
  });
  return withTimeout(TIMEOUT_MS, response, noResponse).finally(() => socket.close());
}

function exchangeTcp({ address, port }: ResolverAddress, query: Buffer, read: Read): Promise<DecodedPacket> {
  const socket = net.connect(port, address);
  const response = new Promise<DecodedPacket>((resolve, reject) => {
    let input = Buffer.alloc(0);
    socket.on("error", reject);
    socket.on("close", () => reject(noResponse()));
    socket.on("data", (chunk: Buffer) => {
      input = Buffer.concat([input, chunk]);
      if (input.length < LENGTH_BYTES || input.length < LENGTH_BYTES + input.readUInt16BE(0)) return;
      try {
        const message = read(input.subarray(LENGTH_BYTES, LENGTH_BYTES + input.readUInt16BE(0)));
        if (message) resolve(message);
        else reject(noResponse());
      } catch (error) {
        reject(error);
      }
    });
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt16BE(query.length);
    socket.write(Buffer.concat([length, query]));
  });
  return withTimeout(TIMEOUT_MS, response, noResponse).finally(() => socket.destroy());
}

const noResponse = () => new Error("no response");
