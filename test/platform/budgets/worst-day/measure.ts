import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { Budget } from "../../../../src/platform/budgets/budget.ts";
import { mailBudgets } from "../../../../src/platform/budgets/mail-tables.ts";
import { mainBudgets } from "../../../../src/platform/budgets/main-tables.ts";
import { folderBudgets, mailboxBudgets, prefixBudgets } from "../../../../src/platform/budgets/objects.ts";
import { mail } from "../../../support/databases.ts";
import { storedObjects } from "../../../support/stored-objects.ts";
import type { TestWorkspace } from "../../../support/workspace.ts";

/** Stores of the service. */
export const stores = ["main", "mail", "R2", "mailbox"] as const;
export type Store = (typeof stores)[number];

/** The contents of the service: the bytes of each store, and the rows or objects of each place in it. */
export interface Stored {
  bytes: Record<Store, number>;
  /** By `<store> <table or folder>`. */
  rows: ReadonlyMap<string, number>;
}

const budgets: Readonly<Record<Store, Readonly<Record<string, Budget>>>> = {
  main: mainBudgets,
  mail: mailBudgets,
  R2: { ...prefixBudgets, ...folderBudgets },
  mailbox: mailboxBudgets,
};

/** Returns the budget of a place. Throws for one that has none. */
export function budgetOfPlace(place: string): Budget {
  const store = stores.find((one) => place.startsWith(`${one} `));
  const budget = store && budgets[store][place.slice(store.length + 1)];
  if (budget === undefined) throw new Error(`${place} has no budget`);
  return budget;
}

/** Reads what is stored. Of mailboxes it is that of the workspace, which is the one that the attacks fill. */
export async function measure({ mailboxId }: TestWorkspace): Promise<Stored> {
  const [ofMain, ofMail, objects, ofMailbox] = await Promise.all([
    readDatabase(env.DB, "main"),
    readDatabase(mail, "mail"),
    storedObjects(),
    readMailbox(mailboxId),
  ]);
  const folders = Map.groupBy(objects, ({ key }) => `R2 ${folderOf(key)}`);
  return {
    bytes: {
      ...{ main: ofMain.bytes, mail: ofMail.bytes, mailbox: ofMailbox.bytes },
      R2: objects.reduce((sum, { size }) => sum + size, 0),
    },
    rows: new Map([
      ...[...ofMain.rows, ...ofMail.rows, ...ofMailbox.rows],
      ...[...folders].map(([folder, { length }]): [string, number] => [folder, length]),
    ]),
  };
}

/** Returns the folder of a workspace's object, or the first part of another key. */
function folderOf(key: string): string {
  const [prefix = "", , folder = ""] = key.split("/");
  return prefix === "w" ? folder : prefix;
}

const countsOf = (tables: readonly string[]) =>
  `SELECT name, rows FROM (${tables
    .map((table) => `SELECT '${table}' AS name, (SELECT count(*) FROM ${table}) AS rows`)
    .join(" UNION ALL ")})`;

/** SQLite admits some tables in one compound SELECT. */
const TABLES_AT_ONCE = 5;

async function readDatabase(db: D1Database, store: "main" | "mail") {
  const tables = Object.keys(budgets[store]);
  const counts = Array.from({ length: Math.ceil(tables.length / TABLES_AT_ONCE) }, (_, n) =>
    db.prepare(countsOf(tables.slice(n * TABLES_AT_ONCE, (n + 1) * TABLES_AT_ONCE))),
  );
  const results = await db.batch<{ name: string; rows: number }>(counts);
  const rows = results.flatMap((result) => result.results);
  return {
    bytes: results[0]?.meta.size_after ?? 0,
    rows: rows.map((row): [string, number] => [`${store} ${row.name}`, row.rows]),
  };
}

/** Reads the tables of a mailbox. */
const readMailbox = (mailboxId: string) =>
  runInDurableObject(env.MAILBOX.getByName(mailboxId), (_, { storage: { sql } }) => ({
    bytes: sql.databaseSize,
    rows: Object.keys(mailboxBudgets).map((table): [string, number] => [
      `mailbox ${table}`,
      sql.exec<{ rows: number }>(`SELECT count(*) AS rows FROM ${table}`).one().rows,
    ]),
  }));
