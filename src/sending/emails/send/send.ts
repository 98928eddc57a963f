import type { CallerCtx } from "../../../access/caller.ts";
import type { MailStatement, WakeUp } from "../../../platform/context.ts";
import { isRolledBack } from "../../../platform/db/batch.ts";
import { requireMailSpace, storesContentInR2Only } from "../../../platform/jobs/shard-sizes.ts";
import { logEmails } from "../../../platform/log-lines/log-emails.ts";
import { wakeAfterResponse } from "../../../platform/outbox/wake-after-response.ts";
import { toDailyLimitError, withSandboxLimit } from "../../../platform/rate-limits/daily-emails.ts";
import { ContentUpload, putContent } from "../content/index.ts";
import type { AcceptOut, SendIn } from "../schema.ts";
import { requireSendable } from "./check.ts";
import { insertEmails } from "./insert.ts";
import { type NewEmail, toNewEmail } from "./new-email.ts";
import { parse } from "./parse.ts";
import { resolveTemplates } from "./templates.ts";
import { warningsOf } from "./warnings.ts";

/** An email that is scheduled further ahead than this, in ms, has its content in R2 only, to keep its row small. */
const LONG_WAIT_MS = 3_600_000;

/**
 * Accepts one email for delivery (docs/contract/emails.md#accept). When it returns, the row is committed and the content is in
 * it or in R2. `upload` holds the attachments that were stored while the request was read, and `extra` returns statements for
 * the transaction that inserts the email. Throws 403, 400, 413 or 422 for the issues of the request, ConcurrencyError when
 * another call with the same Idempotency-Key committed first, 429 beyond the daily limit of the workspace, 503 when the mail
 * database is full.
 */
export async function sendEmail(
  ctx: CallerCtx,
  input: SendIn,
  source: string,
  upload = new ContentUpload(ctx),
  extra: (email: NewEmail) => Promise<MailStatement[]> = async () => [],
): Promise<AcceptOut> {
  requireMailSpace(ctx);
  const [resolved = { input, issues: [] }] = await resolveTemplates(ctx, [input]);
  const sendable = await requireSendable(ctx, parse(resolved.input, ctx.now(), resolved.issues), {
    source,
    isRetry: false,
  });
  const { sendAt } = sendable.email;
  const isLongWait = sendAt !== null && sendAt > ctx.now() + LONG_WAIT_MS;
  const content = await putContent(upload, sendable.email, isLongWait || storesContentInR2Only(ctx));
  const email = toNewEmail(ctx, upload.id, sendable, content, source);
  const response = { ...toAccepted(email), warnings: warningsOf(resolved.input) };
  const statements = await extra(email).catch(async (error: unknown) => {
    if (content.key !== null) await ctx.env.CONTENT.delete(content.key);
    throw error;
  });
  await commitEmails(ctx, [email], response, content.key, statements);
  return response;
}

/**
 * Writes emails whose content is the R2 object `key` (null: in their rows), with the `extra` statements in the same
 * transaction, and wakes the queued ones. Throws ConcurrencyError as `insertEmails` does, 429 beyond the daily limit.
 */
export async function commitEmails(
  ctx: CallerCtx,
  emails: readonly NewEmail[],
  response: unknown,
  key: string | null,
  extra: readonly MailStatement[] = [],
): Promise<void> {
  const hasSandbox = emails.some(({ isSandbox }) => isSandbox);
  const limited = hasSandbox ? { ...ctx, workspace: withSandboxLimit(ctx, ctx.workspace) } : ctx;
  try {
    await insertEmails(limited, emails, response, extra);
  } catch (error) {
    // After any other error the rows may be committed all the same, and then they need their content.
    if (isRolledBack(error) && key !== null) await ctx.env.CONTENT.delete(key);
    throw (await toDailyLimitError(ctx, limited.workspace, error))?.error ?? error;
  }
  const accepted = emails.map(({ id, status }) => ({ id, status }));
  logEmails(ctx, "emails.accepted", accepted, { workspace: ctx.workspace.id, source: emails[0]?.source });
  // Emails of one chunk share an outbox row.
  const rows = new Map(
    emails.flatMap(({ status, outboxId, id, dueAt }): [string, WakeUp][] =>
      status === "queued" && dueAt !== null ? [[outboxId ?? id, { dueAt, id: outboxId ?? id, kind: "deliver" }]] : [],
    ),
  );
  if (rows.size === 0) return;
  await wakeAfterResponse(ctx, [...rows.values()]);
}

/** Returns the API's response for an accepted email. */
export function toAccepted(email: NewEmail): AcceptOut {
  return {
    id: email.id,
    status: email.status,
    message_id: email.messageId,
    rejection_reason: email.rejectionReason,
  };
}
