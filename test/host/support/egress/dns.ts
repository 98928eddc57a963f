/** A DNS server over UDP with the records of a test. */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { type Answer, decode, encode } from "dns-packet";

/** The records of a name. A name without an entry does not exist. */
export interface ZoneEntry {
  mx?: [preference: number, host: string][];
  a?: string[];
  aaaa?: string[];
  ptr?: string[];
  txt?: string[];
  /** `SERVFAIL`, or no answer at all. */
  fails?: "SERVFAIL" | "silent";
}

const TTL = 60;
const RCODES = { SERVFAIL: 2, NXDOMAIN: 3 };

/** A running server: its address with port, and the names of all questions. */
export interface TestDns {
  server: string;
  questions: string[];
  close(): void;
}

/** Starts the server. `zone` may change. */
export async function startTestDns(zone: Readonly<Record<string, ZoneEntry>>): Promise<TestDns> {
  const questions: string[] = [];
  const socket = createSocket("udp4", (message, { port, address }) => {
    const { id, questions: asked = [] } = decode(message);
    const [question] = asked;
    const name = question?.name.toLowerCase() ?? "";
    questions.push(name);
    const entry = zone[name];
    if (!question || entry?.fails === "silent") return;
    const rcode = entry?.fails ? RCODES[entry.fails] : entry ? 0 : RCODES.NXDOMAIN;
    const answers = entry && rcode === 0 ? answersOf(name, question.type, entry) : [];
    socket.send(encode({ type: "response", id, flags: 0x180 | rcode, questions: [question], answers }), port, address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return { server: `127.0.0.1:${socket.address().port}`, questions, close: () => socket.close() };
}

function answersOf(
  name: string,
  type: string,
  { mx = [], a = [], aaaa = [], ptr = [], txt = [] }: ZoneEntry,
): Answer[] {
  const head = { name, ttl: TTL };
  if (type === "MX") return mx.map(([preference, exchange]) => ({ ...head, type, data: { preference, exchange } }));
  if (type === "A") return a.map((data) => ({ ...head, type, data }));
  if (type === "AAAA") return aaaa.map((data) => ({ ...head, type, data }));
  if (type === "PTR") return ptr.map((data) => ({ ...head, type, data }));
  return type === "TXT" ? txt.map((data) => ({ ...head, type, data })) : [];
}
