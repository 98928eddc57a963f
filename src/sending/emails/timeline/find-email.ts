import type { Ctx, MailCtx } from "../../../platform/context.ts";
import { onShardOf } from "../../../platform/jobs/shards.ts";
import { EMAIL_STATE_COLUMNS, type EmailState, type EmailStateRow, toState } from "./state.ts";

const FIND_EMAIL = `SELECT ${EMAIL_STATE_COLUMNS} FROM emails e WHERE e.workspace = ?1 AND e.id = ?2`;

/** The state of an email, and the context with its mail database. */
export interface FoundEmail {
  ctx: MailCtx;
  state: EmailState;
}

/** Finds an email in the mail database of its workspace. Returns null when it does not exist. */
export async function findEmail(
  ctx: Ctx,
  { workspace, emailId }: { workspace: number; emailId: string },
): Promise<FoundEmail | null> {
  const mailCtx = await onShardOf(ctx, workspace);
  const row = mailCtx && (await mailCtx.mail.findRow<EmailStateRow>(FIND_EMAIL, workspace, emailId));
  return row && { ctx: mailCtx, state: toState(row) };
}
