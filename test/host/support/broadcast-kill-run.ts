/** Sends a broadcast while the host is killed repeatedly, then compares its contacts, its emails and received messages. */
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { LEASE_MS } from "../../../src/platform/outbox/rules.ts";
import type { Distance } from "../../support/distance/rules.ts";
import { seeded } from "../../support/failures.ts";
import { type CallApi, callerOf } from "./call-api.ts";
import { CountingSink } from "./counting-sink.ts";
import { compareResults, type Verdict } from "./kill-verdict.ts";
import { findTestPort } from "./ports.ts";
import { RestartableHost } from "./restartable-host.ts";
import { eventsOf, listAll, type SendAttempt } from "./sending-client.ts";

export interface BroadcastKillPlan {
  contacts: number;
  kills: number;
  /** A kill is at a random time within this many milliseconds after the host has started. */
  killWithinMs: number;
  seed: number;
  /** How far away the bindings are after the first kill, and how often they fail. Those of the machine itself without it. */
  distance?: Partial<Distance>;
}

/** The counters of a broadcast in the API. */
interface Counters {
  status: string;
  recipient_count: number;
  queued_count: number;
  delivered_count: number;
}

export interface BroadcastKillReport extends Verdict {
  kills: number;
  broadcast: Counters;
  /** At each kill: emails made and delivered, and delivery runs of the host, by the leases that it had taken. */
  atKills: { queued: number; delivered: number; runs: number }[];
  outboxRows: number;
  seconds: number;
}

const MASTER_KEYS = `1:${Buffer.alloc(32, 7).toString("base64")}`;
const POLL_MS = 200;
/** A run has one lease at a time on rows of a broadcast. `?1`: the end of a lease that was taken when the host had started. */
const AT_KILL = `
  SELECT (SELECT sum(queued) FROM broadcast_counts) AS queued,
    (SELECT count(DISTINCT token) FROM outbox WHERE kind = 'bulk' AND token IS NOT NULL AND due_at >= ?1) AS runs`;
const addressOf = (n: number) => `c${n}@example.org`;

/** Runs a plan. Throws when the broadcast is not sent after `timeoutMs`. */
export async function broadcastKillRun(plan: BroadcastKillPlan, timeoutMs: number): Promise<BroadcastKillReport> {
  const startedAt = Date.now();
  const sink = new CountingSink();
  await sink.listen();
  const stateDir = await mkdtemp(path.join(os.tmpdir(), "email-delivery-broadcast-kill-"));
  const port = await findTestPort();
  const vars = { MASTER_KEYS, EGRESS_URL: `smtp://127.0.0.1:${sink.port}/?tls=off` };
  const host = new RestartableHost({ stateDir, port, vars, queueSeconds: 0 });
  try {
    const [seed] = await host.startAndSeed("kill.example");
    if (!seed) throw new Error("the host has no workspace");
    await host.start();
    const call = callerOf(() => host.url(), seed.apiKey);
    const listId = await importContacts(call, plan.contacts);
    const { id } = await call<{ id: string }>("POST", "/v1/broadcasts/", {
      ...{ name: "Kill", subject: "News for {{email}}", from_address: seed.mailbox, contact_list_id: listId },
      html_body: "<p>Hello {{name}}</p>",
    });
    const read = () => call<Counters>("GET", `/v1/broadcasts/${id}`);
    await call("POST", `/v1/broadcasts/${id}/send`);
    if (plan.distance) host.moveAway(plan.distance);
    const atKills = await killRepeatedly(plan, host, sink);
    const end = Date.now() + timeoutMs;
    for (let { status } = await read(); status !== "sent"; { status } = await read()) {
      if (Date.now() > end) throw new Error(`seed ${plan.seed}: ${JSON.stringify(await read())}`);
      // Queue messages are lost there, and cron may fail too: its next run does its work.
      if (plan.distance) await host.runCron().catch(() => {});
      await sleep(POLL_MS);
    }
    const { receipts } = sink;
    const attempts = Array.from({ length: plan.contacts }, (_, n) => attemptOf(addressOf(n), seed.apiKey));
    const listed = await listAll(host);
    const verdict = await compareResults({ attempts, listed, receipts, eventsOf: (email) => eventsOf(host, email) });
    const { results } = await host.sql<{ n: number }>("SELECT count(*) AS n FROM outbox");
    return {
      ...verdict,
      kills: host.kills,
      broadcast: await read(),
      atKills,
      outboxRows: results.reduce((sum, { n }) => sum + n, 0),
      seconds: (Date.now() - startedAt) / 1000,
    };
  } finally {
    await host.stop();
    sink.close();
    await rm(stateDir, { recursive: true, force: true });
  }
}

/** Kills the running host and starts the next one, `plan.kills` times. Returns the progress before each kill. */
async function killRepeatedly(plan: BroadcastKillPlan, host: RestartableHost, sink: CountingSink) {
  const random = seeded(plan.seed);
  const atKills: BroadcastKillReport["atKills"] = [];
  for (let run = 0; run < plan.kills; run++) {
    await sleep(random() * plan.killWithinMs);
    const { results } = await host.sql<{ queued: number | null; runs: number }>(AT_KILL, host.startedAt + LEASE_MS);
    atKills.push({
      queued: Math.max(...results.map(({ queued }) => queued ?? 0)),
      delivered: sink.receipts.length,
      runs: Math.max(...results.map(({ runs }) => runs)),
    });
    await host.kill();
    sink.epoch = run + 1;
    const { restarted } = await host.start();
    // The last host keeps running; the others may be killed before their leases are released.
    if (run === plan.kills - 1) await restarted;
    else restarted.catch(() => {});
  }
  return atKills;
}

async function importContacts(call: CallApi, count: number): Promise<string> {
  const { id } = await call<{ id: string }>("POST", "/v1/contacts/", { name: "Kill" });
  const rows = Array.from({ length: count }, (_, n) => `${addressOf(n)},Person ${n}`);
  const form = new FormData();
  form.append("file", new Blob([`email,name\n${rows.join("\n")}\n`], { type: "text/csv" }), "contacts.csv");
  const { imported } = await call<{ imported: number }>("POST", `/v1/contacts/${id}/upload`, form);
  if (imported !== count) throw new Error(`${imported} of ${count} contacts were imported`);
  return id;
}

/** Returns what compareResults expects of a contact: one email with this subject, to this recipient. */
function attemptOf(email: string, apiKey: string): SendAttempt {
  const expected = { subject: `News for ${email}`, recipients: [email], apiKey };
  return { ...expected, key: null, body: "", ids: new Set(), responseLost: false };
}
