import type { CallerCtx } from "../../../access/caller.ts";
import { requireEmailSpace, storesContentInR2Only } from "../../../platform/jobs/shard-sizes.ts";
import type { SentCopyRow } from "../../../platform/outbox/sent-copy.ts";
import { ContentUpload, putContent } from "../content/index.ts";
import type { AcceptOut, SendIn } from "../schema.ts";
import { requireSendable } from "./check.ts";
import { commitEmails } from "./commit.ts";
import { type NewEmail, toNewEmail } from "./new-email.ts";
import { parse } from "./parse.ts";
import { resolveTemplates } from "./templates.ts";
import { warningsOf } from "./warnings.ts";

/** An email that is scheduled further ahead than this, in ms, has its content in R2 only, to keep its row small. */
const LONG_WAIT_MS = 3_600_000;

/**
 * Accepts one email for delivery (docs/contract/emails.md#accept). When it returns, the row is committed and the content is in it or in R2.
 * `upload` holds the attachments that were stored while the request was read, and `newCopy` returns the outbox row of its copy in Sent.
 * Throws 403, 400, 413 or 422 for the issues of the request, ConcurrencyError when another call with the same Idempotency-Key committed
 * first, 429 beyond the daily limit of the workspace, 503 when the mail database is full.
 */
export async function sendEmail(
  ctx: CallerCtx,
  input: SendIn,
  source: string,
  upload = new ContentUpload(ctx),
  newCopy: (email: NewEmail) => Promise<SentCopyRow | null> = async () => null,
): Promise<AcceptOut> {
  requireEmailSpace(ctx);
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
  const copy = await newCopy(email).catch(async (error: unknown) => {
    if (content.key !== null) await ctx.env.CONTENT.delete(content.key);
    throw error;
  });
  await commitEmails(ctx, [email], { response, contentKey: content.key, copy });
  return response;
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
