/** Sends emails while the host is killed repeatedly, then compares requests, API and received messages. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Distance } from "../../support/distance/rules.ts";
import { seeded } from "../../support/failures.ts";
import { CountingSink } from "./counting-sink.ts";
import { DatabaseOutages } from "./database-outages.ts";
import { byExtent } from "./extent.ts";
import { compareResults, type Verdict } from "./kill-verdict.ts";
import { findTestPort } from "./ports.ts";
import { RestartableHost } from "./restartable-host.ts";
import {
  type Disconnects,
  eventsOf,
  type Listed,
  listAll,
  listOpen,
  newAttempt,
  type SendAttempt,
  send,
} from "./sending-client.ts";
import { GATEWAY_SECRET } from "./shared-service.ts";
import { openDoor, type SubmissionDoor, SubmittingClient } from "./submitting-client.ts";

export interface KillPlan {
  mails: number;
  kills: number;
  /** Share of messages (0 to 1) for which the sink closes the connection after the final dot. */
  dropShare: number;
  seed: number;
  /** How the emails are sent. */
  door: "api" | "smtp";
  /** True when databases fail between the kills, each on its own and two at once. */
  outages?: boolean;
  /** How far away the bindings are and how often they fail. The clients of such a run disconnect from some calls. */
  distance?: Partial<Distance>;
}

export interface KillReport extends Verdict {
  kills: number;
  /** Seconds from the last restart until every email was final. */
  finalAfterSeconds: number;
  seconds: number;
  /** Rows in the outbox at the end. */
  outboxRows: number;
  /** Outages of each database. */
  outages: number[];
}

const CALLERS = 8;
const KILL_WITHIN_MS = 300;
/** Of one email, which fails after more broken transactions than a run with random drops can rule out. */
const MAX_DROPS = 2;
/** From the last restart, in ms. In npm test it only ends a run that hangs. */
const FINAL_WITHIN_MS = byExtent({ quick: 150_000, full: 60_000, long: 60_000 });
const MASTER_KEYS = `1:${Buffer.alloc(32, 7).toString("base64")}`;
const POLL_MS = 250;
/** Share of calls of a distant run from which the client disconnects, within this many milliseconds. */
const DISCONNECTS = 0.15;
const DISCONNECTS_WITHIN_MS = 150;

/** Runs a plan. Throws when an email is not final FINAL_WITHIN_MS after the last restart. */
export async function killRun(plan: KillPlan): Promise<KillReport> {
  const startedAt = Date.now();
  const drops = seeded(plan.seed + 1);
  const sink = new CountingSink((earlier) => drops() < plan.dropShare && earlier < MAX_DROPS);
  await sink.listen();
  const stateDir = await mkdtemp(path.join(os.tmpdir(), "email-delivery-kill-"));
  const port = await findTestPort();
  const vars = { MASTER_KEYS, GATEWAY_SECRET, EGRESS_URL: `smtp://127.0.0.1:${sink.port}/?tls=off` };
  const remote = plan.distance ? { distance: plan.distance } : {};
  const disconnects = plan.distance ? disconnecting(seeded(plan.seed + 3)) : undefined;
  // 0: with the usual second, a host that runs for 300 ms would be killed before its queue delivers a batch.
  let door: Awaited<ReturnType<typeof openDoor>> | null = null;
  const host = new RestartableHost({ stateDir, port, vars, queueSeconds: 0, ...remote });
  try {
    // The second workspace is placed on the second mail database.
    const [first, second] = await host.startAndSeed("kill-0.example", "kill-1.example");
    if (!first || !second || first.mailShard === second.mailShard)
      throw new Error("the workspaces share a mail database");
    const mails = Array.from({ length: plan.mails }, (_, n) =>
      newAttempt(n, Math.floor(n / 2) % 2 === 0 ? first : second),
    );
    if (plan.door === "smtp") {
      await host.start();
      door = await openDoor(host, [first, second], path.join(stateDir, "certificates"));
      // A mail program repeats what it got no 250 for; the hash of the message is its key.
      for (const mail of mails) mail.key ??= "hash";
    }
    const outages = new DatabaseOutages(stateDir, seeded(plan.seed + 2));
    if (plan.outages) outages.start();
    const beforeLastStart = () => outages.stop();
    await sendUnderKills(plan, host, sink, mails, { door, beforeLastStart, disconnects }).finally(() => outages.stop());
    const advance = plan.distance ? "swept" : plan.dropShare > 0;
    await waitUntilFinal(host, advance).catch(async (error) => {
      throw new Error(`${error} (seed ${plan.seed})\n${await logTail(stateDir)}`);
    });
    const finalAfterSeconds = (Date.now() - host.startedAt) / 1000;
    const { receipts } = sink;
    const verdict = await compareResults({
      attempts: mails,
      listed: await listAll(host),
      receipts,
      eventsOf: (id) => eventsOf(host, id),
      mayRepeatOutcomes: plan.outages ?? false,
    });
    const outboxRows = await countRows(host, "outbox");
    const seconds = (Date.now() - startedAt) / 1000;
    return {
      ...verdict,
      kills: host.kills,
      finalAfterSeconds,
      seconds,
      outboxRows,
      outages: [...outages.counts.values()],
    };
  } finally {
    await door?.gateway.close();
    await host.stop();
    sink.close();
    await rm(stateDir, { recursive: true, force: true });
  }
}

export interface SendOptions {
  /** By which the emails are submitted; by the API without one. */
  door?: SubmissionDoor | null;
  beforeLastStart?: () => Promise<void>;
  disconnects?: Disconnects | undefined;
}

/** Returns clients that disconnect from some calls. */
function disconnecting(random: () => number): Disconnects {
  return () => (random() < DISCONNECTS ? Math.ceil(random() * DISCONNECTS_WITHIN_MS) : null);
}

/**
 * Starts and kills the hosts. Each host may get its share of the emails. It is killed 0 to 300 ms after the callers have
 * sent the emails of its predecessors; the last one keeps running.
 */
export async function sendUnderKills(
  plan: Pick<KillPlan, "mails" | "kills" | "seed">,
  host: RestartableHost,
  sink: CountingSink,
  mails: readonly SendAttempt[],
  { door, beforeLastStart, disconnects }: SendOptions,
) {
  const random = seeded(plan.seed);
  const queue = new Gate(mails);
  const callers = Promise.all(
    Array.from({ length: CALLERS }, async () => {
      const client = door && new SubmittingClient(door);
      for (let mail = await queue.next(); mail; mail = await queue.next())
        await (client ? client.send(mail) : send(host, mail, disconnects));
      client?.close();
    }),
  );
  // A failed caller ends the run in Promise.race or Promise.all below.
  callers.catch(() => {});
  const share = mails.length / (plan.kills + 1);
  for (let run = 0; run < plan.kills; run++) {
    sink.epoch = run;
    const { restarted } = await host.start();
    restarted.catch(() => {});
    queue.open(Math.ceil(share * (run + 1)));
    await Promise.race([queue.reached(Math.floor(share * run)), callers]);
    await sleep(random() * KILL_WITHIN_MS);
    await host.kill();
  }
  await beforeLastStart?.();
  sink.epoch = plan.kills;
  const { restarted } = await host.start();
  queue.open(mails.length);
  await Promise.all([restarted, callers]);
}

/** A queue of items that are released in steps. */
class Gate<Item> {
  readonly #items: readonly Item[];
  #at = 0;
  #mark = 0;
  #moved = Promise.withResolvers<void>();

  constructor(items: readonly Item[]) {
    this.#items = items;
  }

  open(mark: number): void {
    this.#mark = mark;
    this.#move();
  }

  async next(): Promise<Item | undefined> {
    while (this.#at >= this.#mark && this.#at < this.#items.length) await this.#moved.promise;
    const item = this.#items[this.#at++];
    this.#move();
    return item;
  }

  /** Resolves when `count` items were taken. */
  async reached(count: number): Promise<void> {
    while (this.#at < count) await this.#moved.promise;
  }

  #move(): void {
    this.#moved.resolve();
    this.#moved = Promise.withResolvers();
  }
}

/**
 * Waits until every email is final, at most FINAL_WITHIN_MS from the last restart. With `advance`, deferred emails become due at once
 * by SQL: the first retry is a minute later, and a message may be dropped twice. Emails that are due or claimed are not
 * touched. With "swept", cron also runs again and again, since queue messages are lost.
 */
export async function waitUntilFinal(host: RestartableHost, advance: boolean | "swept"): Promise<void> {
  for (;;) {
    const open = await listOpen(host);
    // Of the two lists one may be read before an email is under a lease, the other after it.
    if (open.length === 0 && (await countRows(host, "emails WHERE status = 'queued'")) === 0) return;
    if (Date.now() > host.startedAt + FINAL_WITHIN_MS) throw new Error(await describeState(host, open));
    if (advance && ((await advanceRetries(host)) || advance === "swept")) await runCron(host, advance === "swept");
    await sleep(POLL_MS);
  }
}

/** Counts rows in all databases of a host. */
async function countRows(host: RestartableHost, from: string): Promise<number> {
  const { results } = await host.sql<{ n: number }>(`SELECT count(*) AS n FROM ${from}`);
  return results.reduce((sum, { n }) => sum + n, 0);
}

/** Runs the cron trigger of each minute. It may fail where bindings fail: the next one does its work. */
async function runCron(host: RestartableHost, mayFail: boolean): Promise<void> {
  await host.runCron().catch((error) => {
    if (!mayFail) throw error;
  });
}

async function describeState(host: RestartableHost, open: readonly Listed[]): Promise<string> {
  const { results: counts } = await host.sql("SELECT status, count(*) AS emails FROM emails GROUP BY status");
  const { results: rows } = await host.sql("SELECT * FROM outbox LIMIT 5");
  const state = { counts, rows, now: Date.now(), open: open.slice(0, 5) };
  return `emails are not final after ${FINAL_WITHIN_MS / 1000} s: ${JSON.stringify(state)}`;
}

async function advanceRetries(host: RestartableHost): Promise<boolean> {
  const { changes } = await host.sql("UPDATE outbox SET due_at = ?1 WHERE token IS NULL AND due_at > ?1", Date.now());
  return changes > 0;
}

async function logTail(stateDir: string): Promise<string> {
  const log = await readFile(path.join(stateDir, "host.log"), "utf8").catch(() => "");
  return log.split("\n").slice(-30).join("\n");
}
