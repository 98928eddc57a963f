import { drizzle } from "drizzle-orm/d1";
import type { Ctx, MailCtx } from "../context.ts";
import type { MailDatabase } from "./database.ts";
import type { Orm } from "./orm.ts";

/** Returns the query builder of the main database, for reads and for writes of single rows. Sets are written with SQL. */
export function orm(ctx: Pick<Ctx, "db">): Orm<"main"> {
  return drizzle(ctx.db as unknown as D1Database) as unknown as Orm<"main">;
}

/** Returns the query builder of the mail database of the context. */
export function mailOrm(ctx: Pick<MailCtx, "outbox">): Orm<"mail"> {
  return drizzle(ctx.outbox as unknown as D1Database) as unknown as Orm<"mail">;
}

/** Returns the mail database of the context: emails, changes, search, roll-ups, and the outbox of these. */
export function mailDb(ctx: Pick<MailCtx, "outbox">): MailDatabase {
  return ctx.outbox;
}
