import type { Scope } from "./accounts/scopes.ts";
import type { Idempotency } from "./idempotency/index.ts";
import { uuidv7 } from "./lib/ids.ts";
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

/** Names an outbox row by its key. A row that has moved since is somebody else's work. */
export interface WakeUp {
  dueAt: number;
  id: string;
  kind: WorkKind;
}

/** Kinds of work in the outbox; queue.ts maps each to what does it. */
export type WorkKind = "deliver" | "purge";

/** A queue message. Tagged and versioned; ids only. */
export interface WorkMessage {
  type: "outbox.wake.v1";
  rows: WakeUp[];
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

/** So few that a full batch of 100 messages stays within one invocation's 1,000 database queries. */
const ROWS_PER_MESSAGE = 10;
/** Messages a sendBatch takes (platform limits of Queues: 100 messages, 256 KB; ours have about 1 KB). */
const MESSAGES_PER_CALL = 100;

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
        for (const messages of slices(toMessages(rows, delaySeconds), MESSAGES_PER_CALL)) {
          await env.WORK.sendBatch(messages);
        }
        return true;
      } catch (error) {
        log("wake.failed", { error: String(error), rows: rows.length });
        return false;
      }
    },
  };
}

function toMessages(rows: readonly WakeUp[], delaySeconds: number): MessageSendRequest<WorkMessage>[] {
  return slices(rows, ROWS_PER_MESSAGE).map((some) => ({
    body: { type: "outbox.wake.v1", rows: some },
    ...(delaySeconds > 0 ? { delaySeconds } : {}),
  }));
}

function slices<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));
}
