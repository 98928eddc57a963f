import {
  type DecodedPacket,
  decode,
  encode,
  type Question,
  RECURSION_AVAILABLE,
  RECURSION_DESIRED,
  type Answer as ResourceRecord,
  TRUNCATED_RESPONSE,
} from "dns-packet";
import type { Answer, DnsRecord } from "./record.ts";

const RCODES = { NOERROR: 0, SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 } as const;
/** RFC 1035 3.3: a character-string has at most 255 octets. */
const STRING_BYTES = 255;
const TTL = 5;

/** Decodes a DNS message. Returns null when it is none. */
export function decodeQuery(bytes: Buffer): DecodedPacket | null {
  try {
    return decode(bytes);
  } catch {
    return null;
  }
}

/** Encodes the response to a question. */
export function encodeResponse(id: number, question: Question, found: Exclude<Answer, string> | "truncated"): Buffer {
  const isTruncated = found === "truncated";
  const flags = RECURSION_DESIRED | RECURSION_AVAILABLE | (isTruncated ? TRUNCATED_RESPONSE : RCODES[found.rcode]);
  const answers = isTruncated ? [] : found.answers.map(toResourceRecord);
  return encode({ type: "response", id, flags, questions: [question], answers });
}

function toResourceRecord({ type, name, value, priority = 10, ttl = TTL }: DnsRecord): ResourceRecord {
  const head = { name, ttl };
  if (type === "TXT") return { ...head, type, data: toCharacterStrings(value) };
  if (type === "MX") return { ...head, type, data: { preference: priority, exchange: value } };
  if (type === "SRV") {
    const [weight, port, target = "."] = value.split(" ");
    return { ...head, type, data: { priority, weight: Number(weight), port: Number(port), target } };
  }
  return { ...head, type, data: value };
}

function toCharacterStrings(value: string): Buffer[] {
  const bytes = Buffer.from(value, "utf8");
  const count = Math.max(1, Math.ceil(bytes.length / STRING_BYTES));
  return Array.from({ length: count }, (_, i) => bytes.subarray(i * STRING_BYTES, (i + 1) * STRING_BYTES));
}
