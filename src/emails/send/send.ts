import type { CallerCtx } from "../../context.ts";
import { ConcurrencyError } from "../../db/batch.ts";
import type { WakeUp } from "../../outbox/index.ts";
import { type ContentPlace, ContentUpload, putContent } from "../content/index.ts";
import type { AcceptOut, SendIn } from "../schema.ts";
import type { EventEntry, RecipientEntry } from "../timeline/index.ts";
import { acceptEmails, type Draft } from "./accept.ts";
import { type Checked, checkSends, refuse } from "./check.ts";

/**
 * Accepts one email for delivery (specification: POST /v1/emails/). Content is in R2 and the row is
 * committed before this answers; `upload` has what came of the attachments while the request was read; the wake-up only saves time. Throws 403, 400, 413 or 422 for what
 * `checkSends` finds, LostRace when another call with the same Idempotency-Key was first.
 */
export async function sendEmail(
  ctx: CallerCtx,
  input: SendIn,
  source: string,
  upload = new ContentUpload(ctx),
): Promise<AcceptOut> {
  const [checked] = await checkSends(ctx, [input]);
  if (!checked) throw new Error("nothing was checked");
  refuse(checked.issues);
  const place = await putContent(upload, checked);
  const draft = toDraft(ctx, upload.id, checked, place, source);
  const answer = toAccepted(draft);
  await commitDrafts(ctx, [draft], answer, place.key);
  return answer;
}

/** Writes emails whose content lies under `key`, and wakes those that leave now. Throws as `acceptEmails` does. */
export async function commitDrafts(
  ctx: CallerCtx,
  drafts: readonly Draft[],
  answer: unknown,
  key: string,
): Promise<void> {
  try {
    await acceptEmails(ctx, drafts, answer);
  } catch (error) {
    // After any other failure the rows may be there all the same, and need their content.
    if (error instanceof ConcurrencyError) await ctx.env.CONTENT.delete(key);
    throw error;
  }
  // Those of a chunk share a row of the outbox.
  const rows = new Map(
    drafts.flatMap(({ status, outboxId, id, dueAt }): [string, WakeUp][] =>
      status === "queued" && dueAt !== null ? [[outboxId ?? id, { dueAt, id: outboxId ?? id, kind: "deliver" }]] : [],
    ),
  );
  if (rows.size > 0) await ctx.wake([...rows.values()]);
}

/** The row that a checked request becomes. Suppressed recipients are dropped with an event each. */
export function toDraft(
  ctx: CallerCtx,
  id: string,
  checked: Checked,
  place: ContentPlace & { copy: string | null },
  source: string,
): Draft {
  const { input, parsed, sender, suppressed } = checked;
  if (!parsed.from || !sender) throw new Error("a draft is made of a request without issues");
  const now = ctx.now();
  const recipients = parsed.recipients.map((person): RecipientEntry => {
    const { kind, email, key, name } = person;
    const state = suppressed.has(key) ? "suppressed" : "queued";
    return { kind, email, ...(name ? { name } : {}), ...(key === email.toLowerCase() ? {} : { key }), state };
  });
  const event = (type: EventEntry["type"], metadata?: EventEntry["metadata"]): EventEntry => ({
    id: ctx.newId(),
    type,
    at: now,
    ...(metadata ? { metadata } : {}),
  });
  const dropped = recipients.filter(({ state }) => state === "suppressed");
  const refused = dropped.length === recipients.length;
  const status = refused ? "rejected" : parsed.sendAt === null ? "queued" : "scheduled";
  return {
    id,
    status,
    source,
    domainId: sender.domainId,
    mailboxId: sender.mailboxId,
    userId: ctx.actor.userId,
    fromEmail: parsed.from.email,
    fromName: parsed.from.name,
    messageId: `<${id}@${sender.domain}>`,
    subject: input.subject,
    recipients,
    tags: input.tags?.length ? input.tags : null,
    events: [...dropped.map(({ email }) => event("suppressed", { recipient: email })), event(status)],
    contentKey: null,
    contentOffset: place.offset,
    contentSize: place.size,
    dueAt: refused ? null : (parsed.sendAt ?? now),
    outboxId: null,
    scheduledAt: parsed.sendAt,
    createdAt: now,
    rejectionReason: refused ? "Every recipient is on the suppression list" : null,
    retryOfId: null,
    // Mail that waits for days would only make the table wide.
    content: status === "queued" ? place.copy : null,
  };
}

/** What the caller hears of an accepted email. */
export function toAccepted(draft: Draft): AcceptOut {
  return {
    id: draft.id,
    status: draft.status,
    message_id: draft.messageId,
    rejection_reason: draft.rejectionReason,
  };
}
