import type { Scope } from "./accounts/scopes.ts";
import type { EarlySendRecords } from "./emails/send/index.ts";
import type { Idempotency } from "./idempotency/index.ts";
import { uuidv7 } from "./lib/ids.ts";
import { type WakeUp, wake } from "./outbox/wake.ts";
import { readSettings, type Settings } from "./settings.ts";

/** The first parameter of every operation: bindings, settings, clock, ids, log and queue. */
export interface Ctx {
  env: Env;
  settings: Settings;
  db: D1Database;
  requestId: string;
  /** Milliseconds since 1970. */
  now(): number;
  /** Returns a new UUIDv7. */
  newId(): string;
  /**
   * Sends a queue message that names outbox rows that are due, delayed by `delaySeconds`. A lost message only delays
   * mail until the next sweep, so this never throws; it returns false when the queue refused the message.
   */
  wake(rows: readonly WakeUp[], delaySeconds?: number): Promise<boolean>;
  log(event: string, fields?: Record<string, unknown>): void;
}

/** The context of an authenticated request. */
export interface CallerCtx extends Ctx {
  actor: Actor;
  workspace: CallerWorkspace;
  /** Set when the request has an Idempotency-Key: the operation stores its response in the batch of its writes. */
  idempotency?: Idempotency;
  /** What a send reads, when it was read in the D1 batch that found the credential. */
  sendRecords?: EarlySendRecords;
  /** Lets work finish after the response. Absent outside of requests. */
  waitUntil?(work: Promise<unknown>): void;
}

export type Role = "owner" | "admin" | "member";

/** The authenticated caller. */
export interface Actor {
  kind: "api_key";
  keyId: string;
  keyPrefix: string;
  userId: string;
  email: string;
  name: string | null;
  role: Role;
  scopes: ReadonlySet<Scope>;
  /** The credential was granted `*`: every scope that the role has, including scopes added later. */
  grantsAll: boolean;
  /** Domains that the credential is restricted to. Null: every domain of the workspace. */
  domainIds: ReadonlySet<string> | null;
  /** When the credential expires, in milliseconds since 1970. Null: never. */
  expiresAt: number | null;
  restricted: boolean;
}

export interface CallerWorkspace {
  number: number;
  id: string;
  name: string;
  slug: string;
  sendingPaused: boolean;
}

/** Creates the context of one invocation of the Worker. `now` returns milliseconds since 1970. */
export function createContext(env: Env, requestId: string, now: () => number = Date.now): Ctx {
  const log: Ctx["log"] = (event, fields = {}) =>
    console.log(JSON.stringify({ event, request_id: requestId, ...fields }));
  return {
    env,
    get settings() {
      return readSettings(env);
    },
    db: env.DB,
    requestId,
    now,
    newId: () => uuidv7(now()),
    log,
    async wake(rows, delaySeconds = 0) {
      try {
        await wake(env.WORK, rows, delaySeconds);
        return true;
      } catch (error) {
        log("wake.failed", { error: String(error), rows: rows.length });
        return false;
      }
    },
  };
}
