/** Measures emails a second of the SMTP egress beside Postfix, with the same emails to the same sink, and the memory of the egress. */
import { type Internet, startInternet } from "../dev/internet/index.ts";
import { Outbox, SECRET } from "../test/host/support/egress-internet/outbox.ts";
import { systemsOf } from "../test/host/support/egress-internet/systems.ts";
import { serverKeys, trustThrowawayCa } from "../test/support/throwaway-ca.ts";
import type { Bench } from "./deployment.ts";
import { type EgressProcess, startEgressProcess } from "./egress/egress-process.ts";
import { submitTo } from "./egress/load.ts";
import { startPostfixEgress } from "./egress/postfix.ts";
import { cpuMs } from "./host/in-process.ts";
import { peakMegabytes } from "./memory.ts";
import { findPostfixIssue, type PostfixMaster } from "./postfix-master.ts";
import { treeCpuMs } from "./submission/process-tree.ts";
import { median, type Row } from "./table.ts";
import { textOfSize } from "./text.ts";

const ROUNDS = 3;
const BYTES = 10_000;
const BUDGET = 1;
const BUDGET_MB = 300;
/** Mail systems of a sink: so many that the limits of the egress for one do not matter. */
const SYSTEMS = 50;
/** Connections of the Worker: four of each of four runs. */
const CONNECTIONS = 16;

interface Load {
  name: string;
  /** Before each reply of the sink, in ms. */
  slowMs: number;
  emails: number;
  /** Third number of the addresses of its mail systems. */
  network: number;
}

const LOADS: Load[] = [
  { name: "a sink that replies at once", slowMs: 0, emails: 3_000, network: 20 },
  { name: "a sink that replies after 1 s", slowMs: 1_000, emails: 400, network: 21 },
];

interface Measured {
  rate: number;
  cpu: number;
}

interface Servers {
  sink: Internet;
  outbox: Outbox;
  egress: EgressProcess;
  postfix: PostfixMaster | null;
  issue: string | null;
}

/** Measures the part `egress`. It needs no Worker: a stand-in takes the results. */
export async function measureEgress(_: Bench): Promise<Row[]> {
  await trustThrowawayCa();
  const rows: Row[] = [];
  for (const load of LOADS) rows.push(...(await measureLoad(load)));
  return rows;
}

async function measureLoad(load: Load): Promise<Row[]> {
  const behaviour = load.slowMs > 0 ? { slow: { ms: load.slowMs } } : {};
  const systems = systemsOf("sink", SYSTEMS, behaviour, load.network);
  const sink = await startInternet({ systems, keys: serverKeys().local });
  const outbox = new Outbox();
  await outbox.listen();
  const egress = await startEgressProcess({
    WORKER_URL: outbox.url,
    GATEWAY_SECRET: SECRET,
    DNS_SERVERS: `127.0.0.1:${sink.dnsPort}`,
    DELIVERY_PORT: String(sink.smtpPort),
    ALLOW_PRIVATE_ADDRESSES: "on",
    EGRESS_INSECURE_PORTS: "0",
  });
  const issue = await findPostfixIssue();
  const routes = new Map(systems.map(({ name, address }) => [`${name}.test`, `[${address}]:${sink.smtpPort}`]));
  const postfix = issue ? null : await startPostfixEgress(routes);
  try {
    return await compare(load, { sink, outbox, egress, postfix, issue });
  } finally {
    await postfix?.stop();
    await egress.stop();
    outbox.close();
    await sink.close();
  }
}

async function compare(load: Load, servers: Servers): Promise<Row[]> {
  const { sink, outbox, egress, postfix, issue } = servers;
  const [ours, theirs]: Measured[][] = [[], []];
  let megabytes = 0;
  // The first round of each compiles code and opens connections, and does not count.
  for (let round = 0; round <= ROUNDS; round++) {
    const byOutbox = async (recipients: string[]) => {
      outbox.add(recipients, contentOf);
      await outbox.run(egress.ports[0] ?? 0, { connections: CONNECTIONS });
    };
    const before = await cpuMs(egress.pid);
    const peak = await peakMegabytes(egress.pid, async () => {
      const rate = await measureRate(sink, recipientsOf(load, `o${round}`), byOutbox);
      if (round > 0) ours?.push({ rate, cpu: ((await cpuMs(egress.pid)) - before) / load.emails });
    });
    megabytes = Math.max(megabytes, peak.megabytes);
    if (!postfix) continue;
    const cpuBefore = await treeCpuMs(postfix.pid);
    const bySmtp = (recipients: string[]) => submitTo(postfix.port, recipients, contentOf, CONNECTIONS);
    const rate = await measureRate(sink, recipientsOf(load, `p${round}`), bySmtp);
    if (round > 0) theirs?.push({ rate, cpu: ((await treeCpuMs(postfix.pid)) - cpuBefore) / load.emails });
  }
  return toRows(load, { ours: ours ?? [], theirs: theirs ?? [], megabytes, postfix, issue });
}

function toRows(
  { name }: Load,
  found: { ours: Measured[]; theirs: Measured[]; megabytes: number } & Pick<Servers, "postfix" | "issue">,
): Row[] {
  const { ours, theirs, megabytes, postfix, issue } = found;
  const rates = (values: Measured[]) => values.map(({ rate }) => rate.toFixed(0)).join(", ");
  const cpu = (values: Measured[]) => median(values.map((value) => value.cpu)).toFixed(2);
  const ratio = median(ours.map(({ rate }, round) => rate / (theirs[round]?.rate ?? Number.NaN)));
  const beside = postfix ? `: rate against Postfix ${postfix.version} without OpenDKIM` : "";
  return [
    {
      what: `egress of ${BYTES / 1_000} KB to ${name}${beside}`,
      value: postfix
        ? `${ratio.toFixed(2)}x (${rates(ours)} against ${rates(theirs)} a second); CPU ${cpu(ours)} against ${cpu(theirs)} ms each`
        : `${rates(ours)} a second; CPU ${cpu(ours)} ms each. ${issue}`,
      budget: postfix ? `${BUDGET}x` : "",
      isMet: !postfix || ratio >= BUDGET,
    },
    {
      what: `memory that this adds to the egress`,
      value: `${megabytes.toFixed(0)} MB`,
      budget: `${BUDGET_MB} MB`,
      isMet: megabytes < BUDGET_MB,
    },
  ];
}

/** Returns emails a second, from the first hand-over to the last arrival. */
async function measureRate(
  sink: Internet,
  recipients: string[],
  submit: (recipients: string[]) => Promise<void>,
): Promise<number> {
  const arrived = () =>
    Array.from({ length: SYSTEMS }, (_, n) => sink.receiver(`sink-${n}`).counters.messages).reduce((a, b) => a + b, 0);
  const before = arrived();
  const startedAt = performance.now();
  await submit(recipients);
  while (arrived() - before < recipients.length) await new Promise((resolve) => setTimeout(resolve, 2));
  return recipients.length / ((performance.now() - startedAt) / 1_000);
}

const recipientsOf = ({ emails }: Load, prefix: string) =>
  Array.from({ length: emails }, (_, n) => `${prefix}-${n}@sink-${n % SYSTEMS}.test`);

const text = textOfSize(BYTES).replaceAll("\n", "\r\n");
const contentOf = (to: string) => `From: ann@sender.test\r\nTo: ${to}\r\nSubject: To ${to}\r\n\r\n${text}\r\n`;
