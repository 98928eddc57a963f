/**
 * Measures CPU and peak memory of receiving hostile messages of 25 MiB from the gateway, and whether each is kept and
 * marked. The memory is that above a host which has just received a small message, less what a put of as many bytes adds.
 */
import { type BombMessage, bombMessages } from "./bomb-messages.ts";
import { type Bench, Deployment, GATEWAY_SECRET } from "./deployment.ts";
import { cpuMs } from "./host/in-process.ts";
import { putObject, residentOf } from "./inbox-memory.ts";
import { peakMegabytes } from "./memory.ts";
import type { Row } from "./table.ts";

/** The largest message that is received, less what the gateway adds. */
const BYTES = 25 * 1024 * 1024 - 1_000;
const END = "\0end";

export async function measureBombs({ sink }: Bench): Promise<Row[]> {
  const rows: Row[] = [];
  const put = await residentOf(sink.url, { run: (of) => putObject(of, Buffer.alloc(BYTES, 0x5a)) });
  // A host for each, because memory that one message took could be free for the next.
  for (const bomb of bombMessages) {
    const deployment = await Deployment.start(sink.url);
    try {
      rows.push(await measureBomb(deployment, bomb, put));
    } finally {
      await deployment.stop();
    }
  }
  return rows;
}

async function measureBomb(deployment: Deployment, { name, make, problem }: BombMessage, put: number): Promise<Row> {
  const raw = Buffer.concat([make(BYTES), Buffer.from(END)]);
  const { workerdPid } = deployment.host;
  await receive(deployment, Buffer.from(`Subject: small\r\n\r\nbody${END}`));
  const before = await cpuMs(workerdPid);
  const { megabytes } = await peakMegabytes(workerdPid, () => receive(deployment, raw));
  const over = Math.max(0, megabytes - put);
  const cpu = (await cpuMs(workerdPid)) - before;
  const shown = await problemOf(deployment);
  const isKept = problem ? problem.test(shown) : shown === "null";
  return {
    what: `receiving ${(raw.length / 1_000_000).toFixed(1)} MB of ${name}: CPU, peak memory over a put of 25 MiB, mark`,
    value: `${cpu} ms, ${over.toFixed(0)} MB (${megabytes.toFixed(0)} against ${put.toFixed(0)}), ${shown === "null" ? "none" : shown}`,
    budget: "1,000 ms, 64 MB, kept",
    isMet: cpu <= 1_000 && over <= 64 && isKept,
  };
}

/** Passes a message to the Worker as the gateway does. */
async function receive(deployment: Deployment, raw: Buffer): Promise<void> {
  const envelope = Buffer.from(JSON.stringify({ from: "ada@example.org", to: [deployment.seed.mailbox] }));
  const response = await fetch(`${deployment.host.url}/gateway/mail`, {
    method: "POST",
    headers: { Authorization: `Bearer ${GATEWAY_SECRET}`, "X-Envelope": envelope.toString("base64") },
    body: raw as BodyInit,
  });
  const { reply } = (await response.json()) as { reply: string | null };
  if (!response.ok || reply !== null) throw new Error(`the message was refused: ${response.status} ${reply}`);
}

/** Returns what is said about the newest message, as text. */
async function problemOf(deployment: Deployment): Promise<string> {
  const path = `/v1/inbox/${deployment.seed.mailboxId}/messages`;
  const { items } = (await (await deployment.call("GET", path)).json()) as { items: { uid: number }[] };
  const message = await deployment.call("GET", `${path}/${items[0]?.uid}`);
  return String(((await message.json()) as { problem: string | null }).problem);
}
