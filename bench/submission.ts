/** Measures mail that is submitted by SMTP: its rate and CPU against Postfix, and the gateway's memory for 24 MiB. */
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { certificateFiles } from "../test/host/support/gateway-rig.ts";
import { type Bench, type Deployment, GATEWAY_SECRET } from "./deployment.ts";
import { cpuMs } from "./host/in-process.ts";
import { peakMegabytes } from "./memory.ts";
import { findPostfixIssue } from "./postfix-master.ts";
import { type GatewayProcess, startGatewayProcess } from "./submission/gateway-process.ts";
import { connect, type Load, type Login, submit, submitAll, type Target } from "./submission/load.ts";
import { type Postfix, startPostfix } from "./submission/postfix.ts";
import { treeCpuMs } from "./submission/process-tree.ts";
import { median, type Row } from "./table.ts";
import { textOfSize } from "./text.ts";

const ROUNDS = 3;
const BYTES = 10_000;
const BUDGET = 0.5;
const LARGE_BYTES = 24 * 1024 * 1024;
const BUDGET_MB = 60;

/** Programs that keep their connections, and programs that open one for each message. */
const LOADS: (Load & { name: string })[] = [
  { name: "16 connections that are kept", connections: 16, messages: 3_000, perConnection: Number.POSITIVE_INFINITY },
  { name: "64 connections that are kept", connections: 64, messages: 3_000, perConnection: Number.POSITIVE_INFINITY },
  { name: "16 at a time, a connection and login for each", connections: 16, messages: 150, perConnection: 1 },
];

/** Messages a second, and CPU time in milliseconds for each. */
interface Measured {
  rate: number;
  /** Of the gateway, or of Postfix. */
  server: number;
  /** Of workerd, with the simulated D1 and R2. */
  worker: number;
}

export async function measureSubmission({ deployment }: Bench): Promise<Row[]> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "email-bench-gateway-"));
  await deployment.control("pause-queue");
  const { authorityFile, variables } = await certificateFiles(folder);
  const response = await deployment.call("POST", "/v1/smtp-credentials/", { domain_id: deployment.seed.domainId });
  const login = (await response.json()) as Login;
  const gateway = await startGatewayProcess({
    ...variables,
    GATEWAY_SECRET,
    WORKER_URL: deployment.host.directUrl,
    LIMIT_CONNECTIONS_PER_MINUTE: "1000000",
    LIMIT_CONNECTIONS_PER_IP: "100",
  });
  const target: Target = {
    port: gateway.ports.implicit,
    caFile: authorityFile,
    login,
    sender: deployment.seed.mailbox,
  };
  const issue = await findPostfixIssue();
  if (issue) console.error(issue);
  const postfix = issue
    ? null
    : await startPostfix({
        login,
        sender: target.sender,
        keyFile: variables.TLS_KEY_FILE,
        certificateFile: variables.TLS_CERTIFICATE_FILE,
      });
  try {
    const rows: Row[] = [];
    for (const load of LOADS) rows.push(await compare(load, { deployment, gateway, target, postfix, issue }));
    for (const atOnce of [1, 4]) rows.push(await measureLarge(gateway, target, atOnce));
    return rows;
  } finally {
    await postfix?.stop();
    await gateway.stop();
    await deployment.control("resume-queue");
    await deployment.host.scheduled("* * * * *");
    await deployment.waitUntilDrained();
    await rm(folder, { recursive: true, force: true });
  }
}

interface Servers {
  deployment: Deployment;
  gateway: GatewayProcess;
  target: Target;
  postfix: Postfix | null;
  /** Why Postfix does not run. */
  issue: string | null;
}

async function compare(load: Load & { name: string }, servers: Servers): Promise<Row> {
  const { deployment, gateway, target, postfix, issue } = servers;
  const ours: Measured[] = [];
  const theirs: Measured[] = [];
  // Compiles what runs often, on both sides.
  await submitAll(target, textOfSize(BYTES), load);
  if (postfix) await submitAll({ ...target, port: postfix.port }, textOfSize(BYTES), load);
  await deployment.readings();
  for (let round = 0; round < ROUNDS; round++) {
    const text = textOfSize(BYTES + round);
    const cpuBefore = [await cpuMs(gateway.pid), await cpuMs(deployment.host.workerdPid)] as const;
    const rate = load.messages / (await submitAll(target, text, load));
    const server = ((await cpuMs(gateway.pid)) - cpuBefore[0]) / load.messages;
    ours.push({ rate, server, worker: ((await cpuMs(deployment.host.workerdPid)) - cpuBefore[1]) / load.messages });
    if (postfix) theirs.push(await measurePostfix(postfix, target, text, load));
  }
  const { d1Calls, requests } = await deployment.readings();
  const [all, size] = [ROUNDS * load.messages, BYTES / 1_000];
  const of = (values: Measured[], name: keyof Measured, digits: number) =>
    median(values.map((value) => value[name])).toFixed(digits);
  const rates = (values: Measured[]) => values.map(({ rate }) => rate.toFixed(0)).join(", ");
  const ratio = median(ours.map(({ rate }, round) => rate / (theirs[round]?.rate ?? Number.NaN)));
  const each = `${(requests / all).toFixed(2)} requests and ${(d1Calls / all).toFixed(2)} D1 calls each`;
  const cpu = `CPU of the gateway ${of(ours, "server", 2)} ms, of workerd ${of(ours, "worker", 2)} ms each`;
  return {
    what: `submission of ${size} KB, ${load.name}${postfix ? `: rate against Postfix ${postfix.version}` : ""}`,
    value: postfix
      ? `${ratio.toFixed(2)}x (${rates(ours)} against ${rates(theirs)} a second); ${cpu}, of Postfix ${of(theirs, "server", 2)} ms; ${each}`
      : `${rates(ours)} a second; ${cpu}; ${each}. ${issue}`,
    budget: postfix ? `${BUDGET}x` : "",
    isMet: !postfix || ratio >= BUDGET,
  };
}

async function measurePostfix(postfix: Postfix, target: Target, text: string, load: Load): Promise<Measured> {
  const [cpuBefore, countBefore] = [await treeCpuMs(postfix.pid), await postfix.count()];
  const rate = load.messages / (await submitAll({ ...target, port: postfix.port }, text, load));
  const server = ((await treeCpuMs(postfix.pid)) - cpuBefore) / load.messages;
  const stored = (await postfix.count()) - countBefore;
  if (stored !== load.messages) throw new Error(`Postfix has stored ${stored} of ${load.messages} messages`);
  return { rate, server, worker: 0 };
}

/** Measures the peak that messages of 24 MiB add to the gateway's memory. */
async function measureLarge(gateway: GatewayProcess, target: Target, atOnce: number): Promise<Row> {
  const head = `From: ${target.sender}\r\nTo: friend@example.org\r\nSubject: large\r\nContent-Type: application/octet-stream\r\nContent-Transfer-Encoding: base64\r\n\r\n`;
  const base64 = Buffer.alloc(LARGE_BYTES, 0x5a).toString("base64").replace(/.{76}/g, "$&\r\n");
  const bytes = Buffer.from(`${head}${base64}\r\n.\r\n`, "latin1");
  const clients = await Promise.all(Array.from({ length: atOnce }, () => connect(target)));
  const { megabytes, seconds } = await peakMegabytes(gateway.pid, async () => {
    await Promise.all(clients.map((client) => submit(client, target, bytes)));
  });
  for (const client of clients) client.end();
  return {
    what: `submission of 24 MiB${atOnce === 1 ? "" : `, ${atOnce} at a time`}: peak memory of the gateway over idle`,
    value: `${megabytes.toFixed(0)} MB, ${seconds.toFixed(2)} s`,
    budget: atOnce === 1 ? `${BUDGET_MB} MB` : "",
    isMet: atOnce > 1 || megabytes <= BUDGET_MB,
  };
}
