import type { Ctx } from "../context.ts";
import { mailDb } from "../db/client.ts";
import type { Database, DatabaseKind } from "../db/database.ts";
import { forEachShard } from "../shards.ts";
import { dayOf } from "./rules.ts";

/** Greatest number of rows that one run deletes from a database. The next run continues. */
const MAX_ROWS = 5_000;

const DELETE = `
  DELETE FROM idempotency_keys WHERE (day, workspace, key) IN
    (SELECT day, workspace, key FROM idempotency_keys WHERE day < ?1 - 1 LIMIT ?2)`;

/** Deletes stored responses older than 24 hours from the main database and every mail database. */
export async function deleteExpiredResponses(ctx: Ctx): Promise<void> {
  await deleteFrom(ctx, ctx.db);
  await forEachShard(ctx, (mailCtx) => deleteFrom(mailCtx, mailDb(mailCtx)));
}

async function deleteFrom<Kind extends DatabaseKind>(ctx: Ctx, db: Database<Kind>): Promise<void> {
  await db.prepare(DELETE).bind(dayOf(ctx.now()), MAX_ROWS).run();
}
