/** A resolver over UDP and TCP with the records of a test. It sets AD for those that the test says are secure. */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import { type Answer, decode, encode } from "dns-packet";
import type { TlsaRecord } from "../../../../smtp-egress/dane/tlsa.ts";

/** The records of a name. A name without an entry does not exist. */
export interface ZoneEntry {
  mx?: [preference: number, host: string][];
  a?: string[];
  aaaa?: string[];
  ptr?: string[];
  txt?: string[];
  tlsa?: TlsaRecord[];
  /** Another name, whose records follow in the same answer. */
  cname?: string;
  /** The resolver has validated it, and sets AD when the query asks for that. Without an entry a name is never secure. */
  isSecure?: boolean;
  /** `SERVFAIL`, `truncated` over UDP, bytes that are no DNS message, a response to another question, or none at all. */
  fails?: "SERVFAIL" | "truncated" | "garbage" | "stranger" | "silent";
  ttl?: number;
}

type Zone = Readonly<Record<string, ZoneEntry>>;

const TTL = 60;
const RCODES = { SERVFAIL: 2, NXDOMAIN: 3 };
const RESPONSE = 0x180;
const [TRUNCATED, AUTHENTIC] = [0x200, 0x20];

/** A running server: its address with port, and the names of all questions. */
export interface TestDns {
  server: string;
  port: number;
  questions: string[];
  /** Questions over TCP. */
  overTcp: string[];
  close(): void;
}

/** Starts the server. `zone` may change. */
export async function startTestDns(zone: Zone): Promise<TestDns> {
  const [questions, overTcp]: [string[], string[]] = [[], []];
  const tcp = net.createServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.on("data", (bytes: Buffer) => {
      const response = respond(zone, bytes.subarray(2), overTcp, true);
      if (!response) return;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(response.length);
      socket.write(Buffer.concat([length, response]));
    });
  });
  tcp.listen(0, "127.0.0.1");
  await once(tcp, "listening");
  const { port } = tcp.address() as AddressInfo;
  const udp = createSocket("udp4", (message, from) => {
    const response = respond(zone, message, questions, false);
    if (response) udp.send(response, from.port, from.address);
  });
  udp.bind(port, "127.0.0.1");
  await once(udp, "listening");
  const close = () => {
    udp.close();
    tcp.close();
  };
  return { server: `127.0.0.1:${port}`, port, questions, overTcp, close };
}

function respond(zone: Zone, message: Buffer, asked: string[], isTcp: boolean): Buffer | null {
  const { id, questions = [], flag_ad } = decode(message);
  const [question] = questions;
  const name = question?.name.toLowerCase() ?? "";
  asked.push(name);
  const entry = zone[name];
  const fails = entry?.fails;
  if (!question || fails === "silent") return null;
  if (fails === "garbage") return Buffer.from("no DNS message");
  if (fails === "stranger")
    return encode({ type: "response", id, flags: RESPONSE, questions: [{ ...question, name: "strange.test" }] });
  if (fails === "truncated" && !isTcp)
    return encode({ type: "response", id, flags: RESPONSE | TRUNCATED, questions: [question] });
  const rcode = fails === "SERVFAIL" ? RCODES.SERVFAIL : entry ? 0 : RCODES.NXDOMAIN;
  const answers = rcode === 0 ? answersOf(zone, name, question.type) : [];
  const isSecure = flag_ad && isSecureIn(zone, name, question.type);
  const flags = RESPONSE | rcode | (isSecure ? AUTHENTIC : 0);
  return encode({ type: "response", id, flags, questions: [question], answers });
}

/** Returns whether a name is secure, and all names to which its aliases lead. */
function isSecureIn(zone: Zone, name: string, type: string): boolean {
  const { isSecure = false, cname } = zone[name] ?? {};
  return isSecure && (cname === undefined || type === "CNAME" || isSecureIn(zone, cname, type));
}

function answersOf(zone: Zone, name: string, type: string): Answer[] {
  const { mx = [], a = [], aaaa = [], ptr = [], txt = [], tlsa = [], cname, ttl = TTL } = zone[name] ?? {};
  const head = { name, ttl };
  if (cname !== undefined) {
    const alias: Answer = { ...head, type: "CNAME", data: cname };
    return type === "CNAME" ? [alias] : [alias, ...answersOf(zone, cname, type)];
  }
  if (type === "MX") return mx.map(([preference, exchange]) => ({ ...head, type, data: { preference, exchange } }));
  if (type === "A") return a.map((data) => ({ ...head, type, data }));
  if (type === "AAAA") return aaaa.map((data) => ({ ...head, type, data }));
  if (type === "PTR") return ptr.map((data) => ({ ...head, type, data }));
  if (type === "TLSA") return tlsa.map((data) => ({ ...head, type, data }));
  return type === "TXT" ? txt.map((data) => ({ ...head, type, data })) : [];
}
