import { uuidFromHash } from "../../lib/ids.ts";
import type { Feedback } from "../../mail/reports/feedback.ts";
import { parseFeedback } from "../../mail/reports/parse.ts";
import type { Ctx } from "../../platform/context.ts";
import { onShardOf } from "../../platform/jobs/shards.ts";
import type { MailReference } from "../../platform/mail-tokens/codec.ts";
import { readForwardPath } from "../../platform/mail-tokens/return-path.ts";
import { appendEventStatement } from "../inbound-log/index.ts";

/** Returns the forward whose return path an address is; null for any other address. */
export function readForward(ctx: Ctx, address: string): Promise<MailReference | null> {
  return readForwardPath(ctx.settings.masterKeys, address);
}

/**
 * Records what came back to the return path of a forward in the inbound log: a bounce or a complaint. Anything else is dropped.
 * Nothing of it reaches a mailbox, and no address is suppressed. A report that arrives twice is recorded once. Returns its kind.
 */
export async function receiveForwardReport(
  ctx: Ctx,
  { workspace, emailId, recipient }: MailReference,
  { from, raw }: { from: string; raw: Uint8Array<ArrayBuffer> },
): Promise<string> {
  const feedback = parseFeedback(raw, from === "");
  const found = toEvent(feedback);
  if (!found) return feedback.kind;
  const event = { ...found, at: ctx.now(), index: recipient, report_id: await uuidFromHash(raw) };
  const mailCtx = await onShardOf(ctx, workspace);
  if (mailCtx) await appendEventStatement(mailCtx, { workspace, id: emailId }, event).run();
  return feedback.kind;
}

function toEvent(feedback: Feedback): ({ event: string } & Record<string, unknown>) | null {
  if (feedback.kind === "complaint") return { event: "forward_complained", feedback_type: feedback.feedbackType };
  if (feedback.kind !== "dsn" && feedback.kind !== "bounce") return null;
  const failure = feedback.recipients.find(({ action }) => action === "failed");
  return failure ? { event: "forward_bounced", dsn: failure.status, response: failure.diagnostic } : null;
}
