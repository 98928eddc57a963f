/** Single emails over several connections, until a time is over and all have arrived. */
import type { Sink } from "./sink.ts";

/** A service that is measured, and the SMTP server to which it delivers. */
export interface Target {
  sink: Sink;
  /** Sends one email. Throws unless it is accepted. */
  send(): Promise<void>;
  /** Waits until the queue of the service is empty. */
  waitUntilDrained(): Promise<void>;
}

export interface Loaded {
  emails: number;
  /** Emails accepted a second during the load. */
  accepted: number;
  /** Emails a second from the first request to the arrival of the last email. */
  arrived: number;
}

/** Sends emails over this number of connections for `ms` milliseconds, then waits until all have arrived. */
export async function sendFor(
  { sink, send, waitUntilDrained }: Target,
  connections: number,
  ms: number,
): Promise<Loaded> {
  const arrivedBefore = sink.arrivals.length;
  const startedAt = performance.now();
  let emails = 0;
  const sendUntilOver = async () => {
    while (performance.now() - startedAt < ms) {
      await send();
      emails++;
    }
  };
  await Promise.all(Array.from({ length: connections }, sendUntilOver));
  const loadSeconds = (performance.now() - startedAt) / 1000;
  await sink.waitFor(arrivedBefore + emails);
  await waitUntilDrained();
  const seconds = ((sink.arrivals.at(-1) ?? Number.NaN) - startedAt) / 1000;
  return { emails, accepted: emails / loadSeconds, arrived: emails / seconds };
}
