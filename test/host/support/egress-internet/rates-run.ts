/** Sends to mail systems with different limits, of which the egress knows, and measures how much of each rate it uses. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { MailSystem } from "../../../../dev/internet/index.ts";
import { startEgressRig } from "./rig.ts";

/** Messages a minute that the mail systems allow. */
const RATES = [240, 360, 600, 900, 1_500, 2_100, 3_300, 6_000];

const systems = RATES.map((messagesPerMinute, n): MailSystem => {
  const name = `limit-${n}`;
  const behaviour = { rate: { messagesPerMinute }, connections: { most: 20 } };
  return { name, domains: [`${name}.test`], mx: [`mx.${name}.test`], address: `127.0.10.${n + 1}`, behaviour };
});

export interface UsedRate {
  name: string;
  messagesPerMinute: number;
  /** Share of the allowed rate, from the first to the last message. */
  used: number;
  /** Share of the attempts that were answered 4.7.x. */
  slowedDown: number;
  messages: number;
  emails: number;
}

/** Sends about this number of emails, to each mail system for the same time. */
export async function measureRates(emails: number): Promise<UsedRate[]> {
  const all = RATES.reduce((sum, rate) => sum + rate, 0);
  const counts = RATES.map((rate) => Math.ceil((emails * rate) / all));
  const folder = await mkdtemp(path.join(os.tmpdir(), "email-egress-rates-"));
  const file = path.join(folder, "receivers.json");
  const receivers = systems.map(({ name, mx }, n) => ({
    name,
    label: name,
    mxSuffixes: mx.map((host) => `.${host}`),
    limits: { messagesPerMinute: RATES[n], connections: 20 },
  }));
  await writeFile(file, JSON.stringify(receivers));
  const rig = await startEgressRig({ systems }, { RECEIVERS_FILE: file });
  try {
    rig.outbox.retryMs = () => 500;
    rig.outbox.add(interleaved(counts));
    await rig.outbox.run(rig.egress.ports[0] ?? 0, { connections: 8 });
    return systems.map(({ name }, n) => {
      const { counters } = rig.internet.receiver(name);
      const { messages, attempts, slowedDown, firstAt, lastAt } = counters;
      const messagesPerMinute = RATES[n] ?? 0;
      const used = ((messages - 1) / (lastAt - firstAt)) * (60_000 / messagesPerMinute);
      const common = { name, messagesPerMinute, messages, emails: counts[n] ?? 0 };
      return { ...common, used, slowedDown: slowedDown / attempts };
    });
  } finally {
    await rig.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns recipients in an order in which those of each mail system are spread evenly. */
function interleaved(counts: readonly number[]): string[] {
  return counts
    .flatMap((count, n) =>
      Array.from({ length: count }, (_, at) => ({ to: `e${at}@limit-${n}.test`, at: (at + 0.5) / count })),
    )
    .sort((a, b) => a.at - b.at)
    .map(({ to }) => to);
}
