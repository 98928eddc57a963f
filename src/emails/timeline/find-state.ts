import type { Ctx } from "../../context.ts";
import { mailDb } from "../../db/client.ts";
import { EMAIL_STATE_COLUMNS, type EmailState, type EmailStateRow, toState } from "./state.ts";

const FIND = `SELECT ${EMAIL_STATE_COLUMNS} FROM emails e WHERE e.workspace = ?1 AND e.id = ?2`;

/** The state of the email that a signed address names; null when it is gone. */
export async function findState(
  ctx: Ctx,
  { workspace, emailId }: { workspace: number; emailId: string },
): Promise<EmailState | null> {
  const row = await mailDb(ctx).prepare(FIND).bind(workspace, emailId).first<EmailStateRow>();
  return row && toState(row);
}
