import type { Subquery } from "drizzle-orm";
import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";
import type { GetSelectTableName, GetSelectTableSelection } from "drizzle-orm/query-builders/select.types";
import {
  alias,
  type BuildAliasTable,
  type CreateSQLiteSelectFromBuilderMode,
  type SelectedFields,
  type SQLiteDeleteBase,
  type SQLiteInsertBuilder,
  type SQLiteTable,
  type SQLiteUpdateBuilder,
} from "drizzle-orm/sqlite-core";
import type { Ctx, DatabaseKind, MailCtx } from "../context.ts";
import type * as mail from "./schema/mail/index.ts";
import type * as main from "./schema/main/index.ts";

/** Returns the query builder of the main database, for reads and for writes of single rows. Sets are written with SQL. */
export function orm(ctx: Pick<Ctx, "db">): Orm<"main"> {
  return drizzle(ctx.db as unknown as D1Database) as unknown as Orm<"main">;
}

/** Returns the query builder of the mail database of the context. */
export function mailOrm(ctx: Pick<MailCtx, "mail">): Orm<"mail"> {
  return drizzle(ctx.mail as unknown as D1Database) as unknown as Orm<"mail">;
}

/** The query builder of drizzle, restricted to the tables of one kind of database: a query of another table does not compile. */

interface Schemas {
  main: typeof main;
  mail: typeof mail;
}

/** A table of one kind of database. */
type Table<Kind extends DatabaseKind> = Schemas[Kind][keyof Schemas[Kind]] & SQLiteTable;

declare const kind: unique symbol;

/** An alias of a table of one kind of database. */
interface Alias<Kind extends DatabaseKind> {
  readonly [kind]: Kind;
}

type Source<Kind extends DatabaseKind> = Table<Kind> | (Alias<Kind> & SQLiteTable) | Subquery;

interface Select<Kind extends DatabaseKind, Selection extends SelectedFields | undefined> {
  from<From extends Source<Kind>>(
    source: From,
  ): CreateSQLiteSelectFromBuilderMode<
    "db",
    GetSelectTableName<From>,
    "async",
    D1Result,
    Selection extends undefined ? GetSelectTableSelection<From> : Selection,
    Selection extends undefined ? "single" : "partial"
  >;
}

/** The query builder of one kind of database. */
export interface Orm<Kind extends DatabaseKind> extends Pick<DrizzleD1Database, "all" | "batch"> {
  select(): Select<Kind, undefined>;
  select<Selection extends SelectedFields>(fields: Selection): Select<Kind, Selection>;
  insert<Into extends Table<Kind>>(table: Into): SQLiteInsertBuilder<Into, "async", D1Result>;
  update<Of extends Table<Kind>>(table: Of): SQLiteUpdateBuilder<Of, "async", D1Result>;
  delete<From extends Table<Kind>>(table: From): SQLiteDeleteBase<From, "async", D1Result>;
}

/** Returns a table of a mail database under another name, for statements that name it in SQL. */
export function mailAlias<Of extends Table<"mail">, Name extends string>(
  table: Of,
  name: Name,
): BuildAliasTable<Of, Name> & Alias<"mail"> {
  return alias(table, name) as BuildAliasTable<Of, Name> & Alias<"mail">;
}
