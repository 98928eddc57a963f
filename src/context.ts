import type { Scope } from "./accounts/scopes.ts";
import type { Idempotency } from "./idempotency/index.ts";
import { uuidv7 } from "./lib/ids.ts";
import { type WakeUp, wake } from "./outbox/wake.ts";
import { readSettings, type Settings } from "./settings.ts";

/** What every verb takes first: where records live, what time it is, how to mint ids and wake work. */
export interface Ctx {
  env: Env;
  settings: Settings;
  db: D1Database;
  requestId: string;
  /** Milliseconds since 1970. */
  now(): number;
  /** A new UUIDv7. */
  newId(): string;
  /**
   * Tells the queue that these outbox rows are due, or will be in some seconds. Losing it costs time, never
   * mail, so it never throws; false when the queue did not take it.
   */
  wake(rows: readonly WakeUp[], delaySeconds?: number): Promise<boolean>;
  log(event: string, fields?: Record<string, unknown>): void;
}

/** A Ctx on behalf of somebody. */
export interface CallerCtx extends Ctx {
  actor: Actor;
  workspace: CallerWorkspace;
  /** Set when the call carries an Idempotency-Key: the verb keeps its answer with its deed. */
  idempotency?: Idempotency;
}

export type Role = "owner" | "admin" | "member";

/** Who is calling. */
export interface Actor {
  kind: "api_key";
  keyId: string;
  keyPrefix: string;
  userId: string;
  email: string;
  name: string | null;
  role: Role;
  scopes: ReadonlySet<Scope>;
  /** The credential was granted `*`: whatever the role allows, now and later. */
  grantsAll: boolean;
  /** Null: every domain of the workspace. */
  domainIds: ReadonlySet<string> | null;
  /** When the credential ends; null: it does not end by itself. */
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

/** The context of one invocation of the Worker. */
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
