/** A DNS server over UDP with the records of a test. */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { type Answer, decode, encode } from "dns-packet";

/** The records of a name. A name without an entry does not exist. */
export interface ZoneEntry {
  mx?: [preference: number, host: string][];
  a?: string[];
  txt?: string[];
  /** `SERVFAIL`, or no answer at all. */
  fails?: "SERVFAIL" | "silent";
}

const TTL = 60;
const RCODES = { SERVFAIL: 2, NXDOMAIN: 3 };

/** Starts the server and returns its address with port. `zone` may change. */
export async function startTestDns(zone: Record<string, ZoneEntry>): Promise<{ server: string; close(): void }> {
  const socket = createSocket("udp4", (message, { port, address }) => {
    const { id, questions = [] } = decode(message);
    const [question] = questions;
    const name = question?.name.toLowerCase() ?? "";
    const entry = zone[name];
    if (!question || entry?.fails === "silent") return;
    const rcode = entry?.fails ? RCODES[entry.fails] : entry ? 0 : RCODES.NXDOMAIN;
    const answers = entry && rcode === 0 ? answersOf(name, question.type, entry) : [];
    socket.send(encode({ type: "response", id, flags: 0x180 | rcode, questions: [question], answers }), port, address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return { server: `127.0.0.1:${socket.address().port}`, close: () => socket.close() };
}

function answersOf(name: string, type: string, { mx = [], a = [], txt = [] }: ZoneEntry): Answer[] {
  const head = { name, ttl: TTL };
  if (type === "MX") return mx.map(([preference, exchange]) => ({ ...head, type, data: { preference, exchange } }));
  if (type === "A") return a.map((data) => ({ ...head, type, data }));
  return type === "TXT" ? txt.map((data) => ({ ...head, type, data })) : [];
}
