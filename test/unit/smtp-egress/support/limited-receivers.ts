/** Receivers whose limits the egress does not know, as functions of a clock. */

const SECOND_MS = 1_000;

/** Decides about an attempt. `running`: transactions at this time, this one included. Returns a reply, or null to accept. */
export type LimitedReceiver = (now: number, running: number) => string | null;

const TOO_FAST = "421 4.7.0 Try again later, you send too fast";

/** Accepts so many messages in each window of the clock. */
export function fixedWindow(messages: number, seconds: number): LimitedReceiver {
  let [window, count] = [-1, 0];
  return (now) => {
    const present = Math.floor(now / (seconds * SECOND_MS));
    if (present !== window) [window, count] = [present, 0];
    if (count >= messages) return TOO_FAST;
    count += 1;
    return null;
  };
}

/** Accepts so many messages in any such time. */
export function slidingWindow(messages: number, seconds: number): LimitedReceiver {
  const times: number[] = [];
  return (now) => {
    while (times[0] !== undefined && times[0] <= now - seconds * SECOND_MS) times.shift();
    if (times.length >= messages) return TOO_FAST;
    times.push(now);
    return null;
  };
}

/** Accepts this rate, and so many messages at once. */
export function tokenBucket(messagesPerMinute: number, burst: number): LimitedReceiver {
  let [tokens, at] = [burst, 0];
  return (now) => {
    tokens = Math.min(burst, tokens + ((now - at) / (60 * SECOND_MS)) * messagesPerMinute);
    at = now;
    if (tokens < 1) return TOO_FAST;
    tokens -= 1;
    return null;
  };
}

/** Accepts so many transactions at a time. */
export function fewConnections(most: number): LimitedReceiver {
  return (_, running) => (running > most ? "421 4.7.0 Too many connections from your address" : null);
}
