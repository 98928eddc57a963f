import type { CallerCtx } from "../../access/caller.ts";
import { appPasswordsOf } from "../../access/mailbox-sessions/rights.ts";
import { budgetOf } from "../../platform/budgets/spent.ts";
import type { MainStatement } from "../../platform/context.ts";
import type { appPasswords } from "../../platform/db/schema/main/index.ts";
import { openForPasswords } from "./open.ts";

export interface AppPasswordRow
  extends Pick<typeof appPasswords.$inferSelect, "id" | "name" | "createdAt" | "lastUsedAt"> {
  /** The user who made it, and its address. Null: the mailbox itself, or not known. */
  makerId: string | null;
  maker: string | null;
}

/** Returns the app passwords of a mailbox that have not ended, newest first: all of them, since there are few. Throws 404, and 403. */
export async function listAppPasswords(ctx: CallerCtx, mailboxId: string): Promise<AppPasswordRow[]> {
  const { id } = await openForPasswords(ctx, mailboxId, "read");
  return (await findOfMailboxStatement(ctx, id).all<AppPasswordRow>()).results;
}

const makerSql = (column: "id" | "email") =>
  `(SELECT u.${column} FROM users u WHERE u.id = coalesce(p.user_id, (SELECT user_id FROM api_keys WHERE id = p.api_key_id)))`;

const FIND = `
  SELECT p.id, p.name, p.created_at AS createdAt, p.last_used_at AS lastUsedAt, ${makerSql("id")} AS makerId,
         ${makerSql("email")} AS maker
    FROM ${appPasswordsOf("?1", "?2")} ORDER BY p.id DESC LIMIT ${budgetOf("app_passwords").rows}`;

/** Returns the statement that reads the app passwords of a mailbox as rows of AppPasswordRow, for the call that opens it. */
export const findOfMailboxStatement = ({ db, now }: Pick<CallerCtx, "db" | "now">, mailboxId: string): MainStatement =>
  db.prepare(FIND).bind(mailboxId, now());
