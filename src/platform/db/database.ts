import { countRows } from "./count-rows.ts";

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
}

export type MainStatement = Statement<"main">;
export type MailStatement = Statement<"mail">;
export type MainDatabase = Database<"main">;
export type MailDatabase = Database<"mail">;

/** Returns a binding as the kind of database that it is, which counts the rows written. Call it only where bindings are read. */
export function asDatabase<Kind extends DatabaseKind>(binding: D1Database): Database<Kind> {
  return countRows(binding as unknown as Database<Kind>);
}
