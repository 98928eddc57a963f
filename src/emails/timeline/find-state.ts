import type { Ctx } from "../../context.ts";
import { mailDb } from "../../db/client.ts";
import { EMAIL_STATE_COLUMNS, type EmailState, type EmailStateRow, toState } from "./state.ts";

const FIND_EMAIL = `SELECT ${EMAIL_STATE_COLUMNS} FROM emails e WHERE e.workspace = ?1 AND e.id = ?2`;

/** Returns the state of one email, or null when it does not exist. `workspace` is the number of the workspace. */
export async function findState(
  ctx: Ctx,
  { workspace, emailId }: { workspace: number; emailId: string },
): Promise<EmailState | null> {
  const row = await mailDb(ctx).prepare(FIND_EMAIL).bind(workspace, emailId).first<EmailStateRow>();
  return row && toState(row);
}
