import { desc, eq } from "drizzle-orm";
import type { CallerCtx } from "../../access/caller.ts";
import { orm } from "../../platform/db/client.ts";
import type { MainStatement } from "../../platform/db/database.ts";
import { appPasswords } from "../../platform/db/schema/main/index.ts";
import { openForPasswords } from "./open.ts";
import { MAX_APP_PASSWORDS } from "./rules.ts";

const { id, name, createdAt, lastUsedAt } = appPasswords;

export type AppPasswordRow = Awaited<ReturnType<typeof listAppPasswords>>[number];

/** Returns the app passwords of a mailbox, newest first: all of them, since there are few. Throws 404, and 403. */
export async function listAppPasswords(ctx: CallerCtx, mailboxId: string) {
  return findAll(ctx, (await openForPasswords(ctx, mailboxId, "read")).id);
}

const FIND = `
  SELECT id, name, created_at AS createdAt, last_used_at AS lastUsedAt FROM app_passwords
   WHERE mailbox_id = ?1 ORDER BY id DESC LIMIT ${MAX_APP_PASSWORDS}`;

/** Returns the statement that reads the app passwords of a mailbox as rows of AppPasswordRow, for the call that opens it. */
export const findOfMailboxStatement = ({ db }: Pick<CallerCtx, "db">, mailboxId: string): MainStatement =>
  db.prepare(FIND).bind(mailboxId);

/** Returns whether a mailbox has as many app passwords as it may have. */
export const isFull = async (ctx: CallerCtx, mailboxId: string): Promise<boolean> =>
  (await findAll(ctx, mailboxId)).length >= MAX_APP_PASSWORDS;

function findAll(ctx: CallerCtx, mailboxId: string) {
  return orm(ctx)
    .select({ id, name, createdAt, lastUsedAt })
    .from(appPasswords)
    .where(eq(appPasswords.mailboxId, mailboxId))
    .orderBy(desc(id))
    .limit(MAX_APP_PASSWORDS);
}
