import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
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

export type RecordType = "TXT" | "MX" | "CNAME" | "A" | "AAAA" | "NS";

/** A record as people write it: a TXT value in one piece, an MX as its host with a priority beside it. */
export interface DnsRecord {
  type: RecordType;
  name: string;
  value: string;
  priority?: number;
}

/** What a question gets: an answer, or one of the ways in which DNS fails. */
export type Answer =
  | { rcode: "NOERROR" | "NXDOMAIN" | "SERVFAIL" | "REFUSED"; answers: DnsRecord[] }
  | "timeout"
  | "truncated"
  | "garbage"
  | "http-error";

export type LookUp = (name: string, type: string) => Promise<Answer>;

const RCODES = { NOERROR: 0, SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 } as const;
/** RFC 1035 3.3: a character-string has at most 255 octets. */
const STRING_OCTETS = 255;
const TTL = 5;
const MESSAGE = "application/dns-message";

/** Answers DNS over HTTPS (RFC 8484), GET and POST, at `/dns-query`; other paths go to `page`. */
export async function startDns(
  port: number,
  lookUp: LookUp,
  page: (request: IncomingMessage, response: ServerResponse) => void = notFound,
): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    if (request.url?.split("?")[0] !== "/dns-query") return page(request, response);
    answer(request, response, lookUp).catch(() => response.writeHead(500).end());
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, "127.0.0.1", resolve));
  return { port: (server.address() as AddressInfo).port, close: () => close(server) };
}

async function answer(request: IncomingMessage, response: ServerResponse, lookUp: LookUp) {
  const isPost = request.method === "POST";
  if (!isPost && request.method !== "GET") return void response.writeHead(405, { Allow: "GET, POST" }).end();
  if (isPost && request.headers["content-type"] !== MESSAGE) return void response.writeHead(415).end();
  const query = decoded(isPost ? await bodyOf(request) : parameterOf(request));
  const [question] = query?.questions ?? [];
  if (!question) return void response.writeHead(400).end();
  const found = await lookUp(question.name.toLowerCase(), question.type);
  if (found === "timeout") return;
  if (found === "http-error") return void response.writeHead(500).end();
  const octets = found === "garbage" ? Buffer.from("no DNS message") : message(query?.id ?? 0, question, found);
  response.writeHead(200, { "Content-Type": MESSAGE, "Cache-Control": "no-store" }).end(octets);
}

function parameterOf({ url = "" }: IncomingMessage): Buffer {
  return Buffer.from(new URLSearchParams(url.split("?")[1]).get("dns") ?? "", "base64url");
}

function decoded(octets: Buffer): DecodedPacket | null {
  try {
    return decode(octets);
  } catch {
    return null;
  }
}

/** What a request carries. */
export async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function message(id: number, question: Question, found: Exclude<Answer, string> | "truncated"): Buffer {
  const isCut = found === "truncated";
  const flags = RECURSION_DESIRED | RECURSION_AVAILABLE | (isCut ? TRUNCATED_RESPONSE : RCODES[found.rcode]);
  const answers = isCut ? [] : found.answers.map(toResourceRecord);
  return encode({ type: "response", id, flags, questions: [question], answers });
}

function toResourceRecord({ type, name, value, priority = 10 }: DnsRecord): ResourceRecord {
  const head = { name, ttl: TTL };
  if (type === "TXT") return { ...head, type, data: stringsOf(value) };
  if (type === "MX") return { ...head, type, data: { preference: priority, exchange: value } };
  return { ...head, type, data: value };
}

function stringsOf(value: string): Buffer[] {
  const octets = Buffer.from(value, "utf8");
  const count = Math.max(1, Math.ceil(octets.length / STRING_OCTETS));
  return Array.from({ length: count }, (_, i) => octets.subarray(i * STRING_OCTETS, (i + 1) * STRING_OCTETS));
}

function notFound(_: IncomingMessage, response: ServerResponse) {
  response.writeHead(404).end();
}

function close(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
