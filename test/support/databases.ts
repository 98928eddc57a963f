/** The databases of a test: the main one, and the mail database on which its workspaces are placed. */
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { type FailureInjection, failingDatabase, type Moment } from "./failures.ts";

/** Tables of a mail database. outbox and idempotency_keys are also in the main one; `database` reads those of the mail database. */
const MAIL_TABLES =
  /\b(?:FROM|INTO|UPDATE|JOIN|TABLE)\s+(?:emails|changes|outbox|idempotency_keys|rollups_\w+|email_search\w*|search_progress|content_progress|retried_addresses|shard_workspaces|contacts|contact_lists|contact_forms|confirmations|consents|consent_words|inbound_emails|broadcast\w*|bulk_\w+|outage_workspaces|rate_snapshots|webhook_\w+|domain_reports|dmarc_sources|tls_sessions|events|segments|person_activity|automation\w*|unread_events)\b/i;

/** Number of the mail database of the workspaces: 0 or 1, by the first file of the isolate, which shares this module. */
export const FILE_SHARD =
  [...(expect.getState().testPath ?? "")].reduce((sum, char) => sum + char.charCodeAt(0), 0) % 2;

/** The name of its binding. */
export const MAIL_BINDING = FILE_SHARD === 0 ? "MAIL_0" : "MAIL_1";

/** The mail database of the workspaces. */
export const mail: D1Database = env[MAIL_BINDING];

/** Returns the database that has the tables of a statement: that of the workspaces, or the main one. */
function databaseOf(statement: string): D1Database {
  return MAIL_TABLES.test(statement) ? mail : env.DB;
}

const prepare = (statement: string) => databaseOf(statement).prepare(statement);
const bound = (statement: string, values: readonly unknown[]) => prepare(statement).bind(...values);

/** Prepares and runs statements, each on the database that has its tables. */
export const database = {
  prepare,
  run: (statement: string, values: readonly unknown[] = []) => bound(statement, values).run(),
  async rows<Row = Record<string, unknown>>(statement: string, values: readonly unknown[] = []): Promise<Row[]> {
    return (await bound(statement, values).all<Row>()).results;
  },
  /** Returns the first row, or null. */
  row: <Row = Record<string, unknown>>(statement: string, values: readonly unknown[] = []) =>
    bound(statement, values).first<Row>(),
  /** Returns the first column of the first row, or null without a row. */
  async value<Value = unknown>(statement: string, values: readonly unknown[] = []): Promise<Value | null> {
    const row = await database.row(statement, values);
    return row === null ? null : (Object.values(row)[0] as Value);
  },
};

/** Returns the bindings of the main database and of the workspaces' mail database, each replaced by what `wrap` returns. */
export function wrapDatabases(
  wrap: (real: D1Database) => Pick<D1Database, "prepare" | "batch">,
): Record<string, Pick<D1Database, "prepare" | "batch">> {
  return { DB: wrap(env.DB), [MAIL_BINDING]: wrap(mail) };
}

/**
 * Returns the databases of the Worker, of which one call fails: the one with the number `failing`, counted over all of
 * them. `hit` returns the name of its database, or null when there were fewer calls.
 */
export function withFailingCall({ failing, moment }: { failing: number; moment: Moment }) {
  let calls = 0;
  let hit: string | null = null;
  const bindings = Object.fromEntries(
    (["DB", "MAIL_0", "MAIL_1"] as const).map((name) => {
      const random = () => {
        const isHit = calls++ === failing;
        if (isHit) hit = name;
        return isHit ? 0 : 0.99;
      };
      const injection: FailureInjection = { random, chance: 0.5, bindings: ["database"], moments: [moment], count: 0 };
      return [name, failingDatabase(env[name], injection)];
    }),
  );
  return { bindings, hit: () => hit };
}
