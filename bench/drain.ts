/** Measures emails per second from claim to outcome, with DKIM, and compares with nodemailer's pool and the same sink. */

import { fork } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import path from "node:path";
import type { ScriptedServer } from "../test/support/scripted-smtp.ts";
import type { Deployment } from "./deployment.ts";
import { median, type Row } from "./table.ts";
import { textOfSize } from "./text.ts";

const ROUNDS = 3;
const MAILS = 2_000;
const OCTETS = 10_000;

export async function measureDrain(deployment: Deployment, sink: ScriptedServer, port: number): Promise<Row[]> {
  const serviceRates: number[] = [];
  const nodemailerRates: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    serviceRates.push(await drainService(deployment, sink));
    nodemailerRates.push(await drainNodemailer(sink, port));
  }
  const ratio = median(serviceRates.map((rate, round) => rate / (nodemailerRates[round] ?? Number.NaN)));
  const rates = (values: number[]) => values.map((value) => value.toFixed(0)).join(", ");
  return [
    {
      what: `SMTP drain, ${OCTETS / 1000} KB mails, claim to outcome, against nodemailer's pool`,
      value: `${ratio.toFixed(2)}x (${rates(serviceRates)} against ${rates(nodemailerRates)} mails/s)`,
      budget: "2x",
      isMet: ratio >= 2,
    },
  ];
}

async function drainService(deployment: Deployment, sink: ScriptedServer): Promise<number> {
  await deployment.control("pause-queue");
  const body = JSON.stringify(deployment.mail(textOfSize(OCTETS)));
  for (let i = 0; i < MAILS; i += 20) {
    await Promise.all(
      Array.from({ length: 20 }, async () => (await deployment.call("POST", "/v1/emails/", body)).arrayBuffer()),
    );
  }
  await deployment.control("resume-queue");
  const before = sink.counters.accepted;
  const start = performance.now();
  await deployment.host.scheduled("* * * * *");
  await deployment.waitUntilDrained();
  const seconds = (performance.now() - start) / 1000;
  expectAccepted(sink, before);
  return MAILS / seconds;
}

async function drainNodemailer(sink: ScriptedServer, port: number): Promise<number> {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const before = sink.counters.accepted;
  const child = fork(path.join(import.meta.dirname, "nodemailer-pool.ts"));
  const seconds = await new Promise<number>((resolve, reject) => {
    child.on("message", (message) => resolve(Number(message)));
    child.on("exit", (code) => reject(new Error(`the nodemailer process exited with ${code}`)));
    const key = privateKey.export({ type: "pkcs8", format: "pem" });
    child.send({ port, mails: MAILS, text: textOfSize(OCTETS), key });
  });
  expectAccepted(sink, before);
  return MAILS / seconds;
}

function expectAccepted(sink: ScriptedServer, before: number): void {
  const accepted = sink.counters.accepted - before;
  if (accepted !== MAILS) throw new Error(`the sink accepted ${accepted} of ${MAILS} mails`);
}
