/** Measures emails per second from claim to settle, with DKIM, and compares with nodemailer's pool and the same sink. */

import { fork } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import path from "node:path";
import type { Bench } from "./deployment.ts";
import { cpuMs } from "./host/in-process.ts";
import { median, type Row } from "./table.ts";
import { textOfSize } from "./text.ts";

const ROUNDS = 3;
const EMAILS = 1_000;
const AT_ONCE = 20;
const BYTES = 10_000;
const BUDGET = 1.6;

/** Emails a second, and CPU time of the sender in milliseconds for each email. */
interface Drained {
  rate: number;
  cpu: number;
}

export async function measureDrain(bench: Bench): Promise<Row[]> {
  const service: Drained[] = [];
  const nodemailer: Drained[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    service.push(await drainService(bench));
    nodemailer.push(await drainNodemailer(bench));
  }
  const ratio = median(service.map(({ rate }, round) => rate / (nodemailer[round]?.rate ?? Number.NaN)));
  const rates = (values: Drained[]) => values.map(({ rate }) => rate.toFixed(0)).join(", ");
  const cpu = (values: Drained[]) => median(values.map((value) => value.cpu)).toFixed(2);
  return [
    {
      what: `SMTP drain, ${BYTES / 1000} KB emails, claim to settle, against nodemailer's pool`,
      value: `${ratio.toFixed(2)}x (${rates(service)} against ${rates(nodemailer)} a second; CPU ${cpu(service)} against ${cpu(nodemailer)} ms each)`,
      budget: `${BUDGET}x`,
      isMet: ratio >= BUDGET,
    },
  ];
}

async function drainService({ deployment, sink }: Bench): Promise<Drained> {
  await deployment.control("pause-queue");
  const body = JSON.stringify(deployment.mail(textOfSize(BYTES)));
  for (let i = 0; i < EMAILS; i += AT_ONCE) {
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => (await deployment.call("POST", "/v1/emails/", body)).arrayBuffer()),
    );
  }
  await deployment.control("resume-queue");
  const arrived = sink.arrivals.length;
  const cpuBefore = await cpuMs(deployment.host.workerdPid);
  const startedAt = performance.now();
  await deployment.control("sweep");
  await sink.waitFor(arrived + EMAILS);
  await deployment.waitUntilDrained();
  const seconds = (performance.now() - startedAt) / 1000;
  return { rate: EMAILS / seconds, cpu: ((await cpuMs(deployment.host.workerdPid)) - cpuBefore) / EMAILS };
}

async function drainNodemailer({ sink }: Bench): Promise<Drained> {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const arrived = sink.arrivals.length;
  const child = fork(path.join(import.meta.dirname, "nodemailer-pool.ts"));
  const { seconds, cpu } = await new Promise<{ seconds: number; cpu: number }>((resolve, reject) => {
    child.on("message", (message) => resolve(message as { seconds: number; cpu: number }));
    child.on("exit", (code) => reject(new Error(`the nodemailer process exited with ${code}`)));
    const key = privateKey.export({ type: "pkcs8", format: "pem" });
    child.send({ port: sink.port, mails: EMAILS, text: textOfSize(BYTES), key });
  });
  await sink.waitFor(arrived + EMAILS);
  return { rate: EMAILS / seconds, cpu: cpu / EMAILS };
}
