/** Sends to mail systems with limits of which the egress does not know, before and after its restart, and measures what it uses. */
import { randomUUID } from "node:crypto";
import type { Counters } from "../../../../dev/internet/smtp/receiver.ts";
import { type LimitedSystem, limitedSystems, refusedOf, usedOf } from "./limited-systems.ts";
import { contentFor } from "./outbox.ts";
import { type EgressRig, startEgressRig } from "./rig.ts";

export interface LimitsRun {
  /** Time to learn the limits after each start, and time that is measured then, in seconds: multiples of the window. */
  learnSeconds: number;
  measuredSeconds: number;
  windowSeconds: number;
}

interface Share {
  used: number;
  refused: number;
}

export interface UsedLimits {
  name: string;
  first: Share;
  afterRestart: Share;
  /** Recipients of all emails, and copies that the mail system has. */
  recipients: number;
  copies: number;
  recipientsWithCopy: number;
}

/** Recipients that wait for each mail system all the time, and emails that are added at a time. */
const BACKLOG = 300;
const FEED_MS = 500;
const MAX_BODY_BYTES = 9_000;

/** Sends for the time of the run, then until everything is delivered. */
export async function measureLimits(run: LimitsRun): Promise<UsedLimits[]> {
  const systems = limitedSystems(run.windowSeconds);
  const copies = new Map<string, number>();
  const onMessage = ({ to }: { to: readonly string[] }) => {
    for (const address of to) copies.set(address, (copies.get(address) ?? 0) + 1);
  };
  const rig = await startEgressRig({ systems, kept: "nothing", onMessage });
  try {
    rig.outbox.retryMs = () => 2_000;
    const feed = new Feed(rig, systems);
    const first = await measureOnce(rig, systems, run, feed);
    const afterRestart = await measureOnce(rig, systems, run, feed, true);
    return systems.map(({ name }, n) => {
      const all = feed.recipientsOf(name);
      return {
        name,
        first: first[n] ?? { used: 0, refused: 1 },
        afterRestart: afterRestart[n] ?? { used: 0, refused: 1 },
        recipients: all.length,
        copies: all.reduce((sum, address) => sum + (copies.get(address) ?? 0), 0),
        recipientsWithCopy: all.filter((address) => copies.has(address)).length,
      };
    });
  } finally {
    await rig.close();
  }
}

/** Hands emails over to a fresh egress, measures, and ends the egress as an operator does. `isLast`: after everything is delivered. */
async function measureOnce(
  rig: EgressRig,
  systems: readonly LimitedSystem[],
  { learnSeconds, measuredSeconds, windowSeconds }: LimitsRun,
  feed: Feed,
  isLast = false,
): Promise<Share[]> {
  const end = new AbortController();
  const running = rig.outbox.run(rig.egress.ports[0] ?? 0, { connections: 8, signal: end.signal });
  feed.start();
  const from = nextWindow(Date.now() + learnSeconds * 1_000, windowSeconds);
  const [before, after] = await Promise.race([
    Promise.all([countersAt(rig, systems, from), countersAt(rig, systems, from + measuredSeconds * 1_000)]),
    running.then(() => Promise.reject(new Error("no email is left"))),
  ]);
  feed.stop();
  if (isLast) await rig.outbox.done();
  end.abort();
  await running;
  if (!isLast) {
    rig.egress.signal("SIGTERM");
    await rig.egress.exited;
    await rig.restart();
  }
  return systems.map((system, n) => {
    const counts = difference(before[n], after[n]);
    return { used: usedOf(system, counts, measuredSeconds), refused: refusedOf(counts) };
  });
}

/** Keeps emails waiting for each mail system. */
class Feed {
  readonly #rig: EgressRig;
  readonly #systems: readonly LimitedSystem[];
  readonly #recipients = new Map<string, string[]>();
  #timer: NodeJS.Timeout | undefined;

  constructor(rig: EgressRig, systems: readonly LimitedSystem[]) {
    this.#rig = rig;
    this.#systems = systems;
  }

  recipientsOf(name: string): readonly string[] {
    return this.#recipients.get(name) ?? [];
  }

  start(): void {
    this.#fill();
    this.#timer = setInterval(() => this.#fill(), FEED_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #fill(): void {
    const emails: string[][] = [];
    for (const { name, recipients } of this.#systems) {
      const all = this.#recipients.get(name) ?? [];
      this.#recipients.set(name, all);
      const delivered = this.#rig.internet.receiver(name).counters.recipients;
      while (all.length - delivered < BACKLOG * recipients) {
        const to = Array.from({ length: recipients }, () => `${randomUUID()}@${name}.test`);
        all.push(...to);
        emails.push(to);
      }
    }
    // In turns, so that no mail system waits for the emails of another.
    this.#rig.outbox.add(
      emails.sort(() => Math.random() - 0.5),
      (to) => {
        const bytes = Math.random() * MAX_BODY_BYTES;
        return `${contentFor(to)}${`${"x".repeat(78)}\r\n`.repeat(bytes / 80)}`;
      },
    );
  }
}

const nextWindow = (ms: number, seconds: number) => Math.ceil(ms / (seconds * 1_000)) * seconds * 1_000;

/** Returns copies of the counters at a time, in ms since 1970. */
async function countersAt(rig: EgressRig, systems: readonly LimitedSystem[], at: number): Promise<Counters[]> {
  await new Promise((resolve) => setTimeout(resolve, at - Date.now()));
  return systems.map(({ name }) => ({ ...rig.internet.receiver(name).counters }));
}

function difference(before: Counters | undefined, after: Counters | undefined): Counters {
  if (!before || !after) throw new Error("there are no counters");
  const entries = Object.entries(after).map(([key, count]) => [key, count - before[key as keyof Counters]]);
  return Object.fromEntries(entries) as unknown as Counters;
}
