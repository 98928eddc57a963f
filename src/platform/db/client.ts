import { drizzle } from "drizzle-orm/d1";
import type { Ctx, MailCtx } from "../context.ts";
import type { Orm } from "./orm.ts";

/** Returns the query builder of the main database, for reads and for writes of single rows. Sets are written with SQL. */
export function orm(ctx: Pick<Ctx, "db">): Orm<"main"> {
  return drizzle(ctx.db as unknown as D1Database) as unknown as Orm<"main">;
}

/** Returns the query builder of the mail database of the context. */
export function mailOrm(ctx: Pick<MailCtx, "mail">): Orm<"mail"> {
  return drizzle(ctx.mail as unknown as D1Database) as unknown as Orm<"mail">;
}
