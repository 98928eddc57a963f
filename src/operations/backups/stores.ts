import type { Ctx } from "../../platform/context.ts";
import { shardNumbers } from "../../platform/jobs/shards.ts";

/** A statement whose SQL is made from the schema of its database. */
export interface StoreStatement {
  sql: string;
  values: readonly (string | number | null)[];
}

export type StoreRow = Record<string, string | number | null>;

/** A database that a backup reads and a restore fills. */
export interface BackupStore {
  /** Runs the statements as one transaction. Returns the rows of each. */
  batch(statements: readonly StoreStatement[]): Promise<StoreRow[][]>;
}

const STORE = /^(?:(main)|mail-(\d{1,4})|mailbox-([0-9a-f-]{36}))$/;

/** Returns the database of a name: `main`, `mail-<number>` or `mailbox-<id>`. Null for one that the deployment does not have. */
export function findStore(ctx: Ctx, name: string): BackupStore | null {
  const [, main, shard, mailbox] = STORE.exec(name) ?? [];
  if (main !== undefined) return toStore(ctx.env.DB);
  if (mailbox !== undefined) return toMailboxStore(ctx, mailbox);
  if (shard === undefined || !shardNumbers(ctx).includes(Number(shard))) return null;
  return toStore((ctx.env as unknown as Record<string, D1Database>)[`MAIL_${shard}`] as D1Database);
}

/** Returns the names of the main and all mail databases, in the order in which a backup reads them. */
export function databaseNames(ctx: Ctx): string[] {
  return [...shardNumbers(ctx).map((number) => `mail-${number}`), "main"];
}

function toStore(binding: D1Database): BackupStore {
  return {
    batch: async (statements) => {
      const results = await binding.batch<StoreRow>(
        statements.map(({ sql, values }) => binding.prepare(sql).bind(...values)),
      );
      return results.map((result) => result.results);
    },
  };
}

function toMailboxStore(ctx: Ctx, mailbox: string): BackupStore {
  const object = ctx.env.MAILBOX.getByName(mailbox);
  return { batch: (statements) => object.runStatements(statements) as Promise<StoreRow[][]> };
}

/** Returns names of columns or tables as SQL. They come from the schema, and routes.ts allows letters, digits and underscores. */
export function quoted(names: readonly string[]): string {
  return names.map((name) => `[${name}]`).join(", ");
}
