/**
 * Records the SQL that the source prepares on D1, and hands it to dev/prepared-sql/reporter.ts after each test file. Statements
 * of tests are left out: dev/prepared-sql/places.ts marks the places of the source.
 */
import { env } from "cloudflare:workers";
import { afterAll } from "vitest";
import type { Kind, Prepared } from "../../dev/prepared-sql/record.ts";

type Database = Pick<D1Database, "prepare" | "batch">;

const kinds = new Map<unknown, Kind>([
  [env.DB, "main"],
  [env.MAIL_0, "mail"],
  [env.MAIL_1, "mail"],
]);
/** SQL by place, for each kind. */
const seen = { main: new Map<string, Set<string>>(), mail: new Map<string, Set<string>>() };
const reachedPlaces = new Set<string>();
let fresh: Prepared = { statements: [], places: [] };
/** The place that prepares, and its SQL, which some tests change on the way. Null while a test prepares. */
let current: { place: string; sql: string } | null = null;

const preparedAt = Symbol("prepared at");
Object.assign(globalThis, { preparedAt, builtAt, reached });
Object.defineProperty(Object.prototype, preparedAt, { value: prepareAt });

/** Returns `prepare` of a database, or another method that prepares, for a place. */
function prepareAt(this: Database, place: string, method = "prepare"): Database["prepare"] {
  return (sql, ...values: unknown[]) => {
    const outer = current;
    current = { place, sql };
    try {
      return (this as unknown as Record<string, (...args: unknown[]) => never>)[method]?.(sql, ...values) as never;
    } finally {
      current = outer;
    }
  };
}

/** Returns a function that makes a query builder, for a place. */
function builtAt(place: string, build: (databases: { db?: Database; mail?: Database }) => unknown): typeof build {
  const at = (db: Database | undefined) =>
    db && { prepare: prepareAt.call(db, place), batch: (statements: D1PreparedStatement[]) => db.batch(statements) };
  return ({ db, mail }) => build({ db: at(db) as Database, mail: at(mail) as Database });
}

const prototype = Object.getPrototypeOf(env.DB) as D1Database;
const { prepare } = prototype;
prototype.prepare = function (this: D1Database, sql: string) {
  const kind = kinds.get(this);
  if (current !== null && kind !== undefined) record(kind, current.place, current.sql);
  return prepare.call(this, sql);
};

function record(kind: Kind, place: string, sql: string): void {
  const known = seen[kind].get(place) ?? new Set();
  if (known.has(sql)) return;
  seen[kind].set(place, known.add(sql));
  fresh.statements.push({ kind, place, sql });
  reached(place);
}

function reached(place: string): void {
  if (reachedPlaces.has(place)) return;
  reachedPlaces.add(place);
  fresh.places.push(place);
}

/** Hands over what was recorded, after the last test of the file that is running. */
export function reportStatements(): void {
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the first parameter of a hook in its source.
  afterAll(({}, suite) => {
    suite.file.meta.prepared = fresh;
    fresh = { statements: [], places: [] };
  });
}
