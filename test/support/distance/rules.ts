/** How far away the bindings of a host are, and how often their calls fail. Pure. */

/** Times are in milliseconds, shares from 0 to 1. */
export interface Distance {
  /** Round trip to a database, without what the database does. */
  d1Ms: number;
  /** Time that a database needs for a statement, more for a call that writes, and more for each row written. */
  statementMs: number;
  commitMs: number;
  rowMs: number;
  r2Ms: number;
  queueMs: number;
  objectMs: number;
  /** A time varies by up to this share of it, both ways. */
  jitter: number;
  /** Share of calls that are refused, and have done nothing. */
  overloaded: number;
  /** Share of calls that end with a lost connection: half of them before the work, half after it. */
  ambiguous: number;
  /** Share of calls that take `slowMs` longer. */
  slow: number;
  slowMs: number;
  /** Seed of the random numbers. */
  seed: number;
}

/**
 * A Worker in the region of its databases, without failures. D1 says that an indexed read takes less than a millisecond and a
 * write several (developers.cloudflare.com/d1/platform/limits, 2026-04-21); SQLite takes 0.03 ms to insert a row of a set.
 */
export const FAR: Distance = {
  d1Ms: 15,
  statementMs: 0.3,
  commitMs: 3,
  rowMs: 0.05,
  r2Ms: 40,
  queueMs: 50,
  objectMs: 15,
  jitter: 0.3,
  overloaded: 0,
  ambiguous: 0,
  slow: 0,
  slowMs: 2_000,
  seed: 1,
};

/** Name of the variable that holds a Distance as JSON; what is missing in it is that of FAR. */
const DISTANCE_VARIABLE = "DISTANCE";

/** Returns the distance that the variable of an environment says, null without one. */
export function readDistance(env: object): Distance | null {
  const text: unknown = Reflect.get(env, DISTANCE_VARIABLE);
  return typeof text === "string" ? { ...FAR, ...(JSON.parse(text) as Partial<Distance>) } : null;
}

/** Returns the variables of a host at this distance. */
export function distanceVariables(distance: Partial<Distance> = {}): Record<string, string> {
  return { [DISTANCE_VARIABLE]: JSON.stringify(distance) };
}

/** How a call ends. `lost-before` and `lost-after`: with a lost connection, before or after its work. */
export type Fate = "fair" | "slow" | "overloaded" | "lost-before" | "lost-after";

/** Returns how a call ends, by a random number from 0 to 1. */
export function fateOf({ overloaded, ambiguous, slow }: Distance, random: number): Fate {
  if (random < overloaded) return "overloaded";
  if (random < overloaded + ambiguous / 2) return "lost-before";
  if (random < overloaded + ambiguous) return "lost-after";
  return random < overloaded + ambiguous + slow ? "slow" : "fair";
}

/** The errors of each kind of binding, with the texts of Cloudflare. */
export const ERRORS = {
  D1: {
    overloaded: "D1_ERROR: D1 DB is overloaded. Requests queued for too long.",
    lost: "D1_ERROR: Network connection lost.",
  },
  R2: {
    overloaded: "put: Reduce your concurrent request rate for the same object. (10058)",
    lost: "put: We encountered an internal error. Please try again. (10001)",
  },
  queue: {
    overloaded: "Queue sendBatch failed: Too Many Requests",
    lost: "Queue sendBatch failed: Internal Server Error",
  },
  object: {
    overloaded: "Durable Object is overloaded. Requests queued for too long.",
    lost: "Network connection lost.",
  },
} as const;

/** Connections and D1 queries of one invocation (developers.cloudflare.com/workers/platform/limits, 2026-09-05). */
export const MAX_CONNECTIONS = 6;
export const MAX_STATEMENTS = 1_000;
export const TOO_MANY_STATEMENTS = "Too many API requests by single Worker invocation.";
