/** Emails that are sent to a distant deployment, and when they were accepted and arrived. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Bench } from "../deployment.ts";
import { textOfSize } from "../text.ts";

/** Bytes of a text that stays in the row of its email, and of one that goes to R2. */
const SMALL = 1_000;
const LARGE = 32_000;
const POLL_MS = 20;
const MINUTE_MS = 60_000;
const TIMEOUT_MS = 5 * MINUTE_MS;
let lastNumber = 0;

export interface Load {
  connections: number;
  /** Milliseconds for which emails are sent. */
  ms: number;
  /** Every other email has a content that goes to R2. */
  hasLarge?: boolean;
}

/** Times in milliseconds. */
export interface Loaded {
  /** Time of each response with 202, and from it to the final dot at the egress. */
  accepts: number[];
  deliveries: number[];
  /** Emails accepted a second during the load, and those that arrived a second from the first request to the last arrival. */
  accepted: number;
  arrived: number;
  /** Calls that got another response than 202. */
  refused: number;
  /** Emails that arrived more than once. */
  repeated: number;
}

/** Sends emails over some connections, each to a recipient of its own, and waits until all that were accepted have arrived. */
export async function sendLoad(
  { deployment, sink }: Bench,
  { connections, ms, hasLarge = false }: Load,
): Promise<Loaded> {
  const startedAt = performance.now();
  const arrivalsBefore = sink.arrivals.length;
  const accepts: number[] = [];
  const respondedAt = new Map<string, number>();
  const attempted = new Set<string>();
  const sendUntilOver = async () => {
    while (performance.now() - startedAt < ms) {
      lastNumber += 1;
      const recipient = `distant-${lastNumber}@example.org`;
      attempted.add(recipient);
      const bytes = hasLarge && lastNumber % 2 === 0 ? LARGE : SMALL;
      const mail = { ...deployment.mail(textOfSize(bytes)), to: [{ email: recipient }] };
      const sentAt = performance.now();
      const response = await fetch(deployment.request("POST", "/v1/emails/", mail));
      await response.arrayBuffer();
      if (response.status !== 202) continue;
      respondedAt.set(recipient, performance.now());
      accepts.push(performance.now() - sentAt);
    }
  };
  await Promise.all(Array.from({ length: connections }, sendUntilOver));
  const loadSeconds = (performance.now() - startedAt) / 1000;
  await waitForAll({ deployment, sink }, [...respondedAt.keys()]);
  await deployment.waitUntilDrained();
  const deliveries = [...respondedAt].map(([recipient, at]) => (sink.arrivedAt(recipient) ?? Number.NaN) - at);
  const reached = [...attempted].filter((recipient) => sink.arrivedAt(recipient) !== undefined);
  const seconds = ((sink.arrivals.at(-1) ?? Number.NaN) - startedAt) / 1000;
  return {
    accepts,
    deliveries,
    accepted: accepts.length / loadSeconds,
    arrived: accepts.length / seconds,
    refused: attempted.size - accepts.length,
    repeated: sink.arrivals.length - arrivalsBefore - reached.length,
  };
}

/** Waits until an email to each recipient has arrived, and runs the cron trigger each minute. Throws after five minutes. */
async function waitForAll({ deployment, sink }: Bench, recipients: readonly string[]): Promise<void> {
  const end = Date.now() + TIMEOUT_MS;
  let nextCron = Date.now() + MINUTE_MS;
  for (;;) {
    const missing = recipients.filter((recipient) => sink.arrivedAt(recipient) === undefined);
    if (missing.length === 0) return;
    if (Date.now() > end) throw new Error(`${missing.length} of ${recipients.length} emails have not arrived`);
    if (Date.now() > nextCron) {
      await deployment.host.scheduled("* * * * *");
      nextCron += MINUTE_MS;
    }
    await sleep(POLL_MS);
  }
}
