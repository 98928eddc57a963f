import { drizzle } from "drizzle-orm/d1";
import type { Ctx } from "../context.ts";

/** Returns the typed query builder, for reads and for writes of single rows. Sets of rows are written with SQL. */
export function orm(ctx: Pick<Ctx, "db">) {
  return drizzle(ctx.db);
}

/** Returns the database of the mail tables (emails, changes, outbox, roll-ups), which may later be another one. */
export function mailDb(ctx: Pick<Ctx, "db">): D1Database {
  return ctx.db;
}
