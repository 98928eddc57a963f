import type { WorkBudget } from "../lib/liquid/meter.ts";
import type { Idempotency } from "./idempotency/key.ts";
import type { Settings } from "./settings/settings.ts";

/**
 * Types of the two kinds of database. A statement belongs to the kind that prepared it, so a batch that mixes both, or a
 * statement on the wrong database, does not compile. No transaction spans two databases.
 */

/** `main`: accounts, domains, suppressions. `mail`: emails and what is written with them. */
export type DatabaseKind = "main" | "mail";

declare const kind: unique symbol;

/** A prepared statement of one kind of database. */
export interface Statement<Kind extends DatabaseKind> extends Omit<D1PreparedStatement, "bind"> {
  readonly [kind]: Kind;
  bind(...values: unknown[]): Statement<Kind>;
}

/** A D1 database of one kind. */
export interface Database<Kind extends DatabaseKind> {
  prepare(sql: string): Statement<Kind>;
  /** Runs the statements as one transaction. */
  batch<Row = unknown>(statements: readonly Statement<Kind>[]): Promise<D1Result<Row>[]>;
  /** Runs the statements as one transaction, and returns the rows of each. `Rows` has the type of a row of each, in order. */
  listEach<Rows extends unknown[]>(
    statements: readonly Statement<Kind>[],
  ): Promise<{ [Key in keyof Rows]: Rows[Key][] }>;
  /** Executes a statement, and returns its rows. */
  listRows<Row = Record<string, unknown>>(sql: string, ...values: unknown[]): Promise<Row[]>;
  /** Executes a statement, and returns its first row, or null. */
  findRow<Row = Record<string, unknown>>(sql: string, ...values: unknown[]): Promise<Row | null>;
  /** Executes a statement, and returns the first column of its first row, or null. */
  findValue<Value = unknown>(sql: string, ...values: unknown[]): Promise<Value | null>;
  /** Executes a statement, and returns what D1 tells of it, such as the number of rows that it changed. */
  execute(sql: string, ...values: unknown[]): Promise<D1Result>;
}

export type MainStatement = Statement<"main">;
export type MailStatement = Statement<"mail">;
export type MainDatabase = Database<"main">;
export type MailDatabase = Database<"mail">;

/** The first parameter of every operation: bindings, settings, main database, clock, ids and log. */
export interface Ctx {
  env: Env;
  settings: Settings;
  /** The main database. Mail tables are reached through a MailCtx. */
  db: MainDatabase;
  requestId: string;
  /** Set for queue consumers and cron: what the invocation may still do. Each D1 statement lowers `statements` by one. */
  limits?: InvocationLimits;
  /** Set for queue consumers: how often each thing happened, for the metrics line of the batch. */
  counts?: Map<string, number>;
  /** Milliseconds since 1970. */
  now(): number;
  /** Returns a new UUIDv7. */
  newId(): string;
  log(event: string, fields?: Record<string, unknown>): void;
  /** Makes the test domain of a new workspace. Set for requests: the area `identity`, which creates workspaces, comes before `domains`. */
  newSandbox?(ctx: Ctx, workspace: { id: string; slug: string }): Promise<Sandbox | null>;
  /** Bytes of emails that the lines of this invocation may still name (`logEmails`). */
  logBudget: { bytes: number };
}

/** The test domain of a workspace that is about to be created (src/domains/domains/sandbox.ts). */
export interface Sandbox {
  /** For the batch that inserts the workspace, after its row. */
  statements: MainStatement[];
  /** Publishes its DNS records after that batch. It does nothing when the batch has failed. */
  publish(): Promise<void>;
}

/** Counts of what an invocation of the Worker may still do; `work` of rendering, composing and signing. */
export interface InvocationLimits extends WorkBudget {
  /** D1 statements, each of a batch singly. */
  statements: number;
  /** R2 calls. */
  objectReads: number;
}

/** An outbox row by its key. A row that was moved since is claimed by another run. */
export interface WakeUp {
  dueAt: number;
  id: string;
  kind: OutboxKind;
}

/** Kinds of outbox rows; run-outbox.ts maps each to the function that processes it. */
export type OutboxKind =
  | "deliver"
  | "bulk"
  | "broadcast"
  | "confirm"
  | "segment"
  | "purge"
  | "release"
  | "events"
  | "transfer"
  | "sent-copy"
  | "forward"
  | "notify"
  | "import"
  | "webhook";

/** A context with the outbox of one database: work in the main database, or in one mail database. */
export interface OutboxCtx<Kind extends DatabaseKind = DatabaseKind> extends Ctx {
  /** The database whose outbox it is. */
  outbox: Database<Kind>;
  /**
   * Sends a queue message that names rows of this outbox that are due, delayed by `delaySeconds`. A lost message only
   * delays work until the next sweep, so this never throws; it returns false when the queue refused the message.
   */
  wake(rows: readonly WakeUp[], delaySeconds?: number): Promise<boolean>;
}

/** A context with one mail database. */
export interface MailCtx extends OutboxCtx<"mail"> {
  /** The mail database: emails, changes, search, roll-ups, and the outbox of these. `mailOrm` is its query builder. */
  mail: MailDatabase;
  /** Number of the mail database. */
  shard: number;
}

/** The kinds of credential by which a caller acts. */
export type CredentialKind = "api_key" | "session" | "oauth" | "mailbox" | "smtp" | "system";

/** The context of what one caller does in one workspace. `CallerCtx` of src/access/caller.ts has its rights as well. */
export interface WorkspaceCtx extends MailCtx {
  actor: {
    kind: CredentialKind;
    /** Id of the API key, of the session, of the OAuth grant or of the SMTP credential. */
    credentialId: string;
    userId: string;
    email: string;
    /** Domains that the credential is restricted to. Null: every domain of the workspace. */
    domainIds: ReadonlySet<string> | null;
  };
  /** The mail database of this context is that of the workspace. */
  workspace: CallerWorkspace;
  /** Address of the client, as Cloudflare reports it. Null without Cloudflare. */
  clientIp: string | null;
  /** Set when the request has an Idempotency-Key: the operation stores its response in the batch of its writes. */
  idempotency?: Idempotency;
  /** Lets work finish after the response. Absent outside of requests. */
  waitUntil?(work: Promise<unknown>): void;
}

export interface CallerWorkspace {
  number: number;
  id: string;
  name: string;
  slug: string;
  sendingPaused: boolean;
  /** How far it has stopped itself (src/platform/bulk-pauses/rules.ts). */
  bulkPause: number;
  /** Number of its mail database. */
  mailShard: number;
  /** Bytes of its mail database, as the last cron run of the minute measured it. */
  mailSize: number;
  /** It has more than its equal share of its mail database, which counts while that is nearly full. */
  isOverShare: boolean;
  /** It has as much content in R2 as it may. */
  isOverContent: boolean;
  /** Bytes of the main database, measured in the same way. */
  mainSize: number;
  /** Its own limit of emails a day, 0 for none. Null: that of the deployment. */
  dailyLimit: number | null;
}
