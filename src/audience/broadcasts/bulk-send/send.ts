import type { CallerCtx } from "../../../access/caller.ts";
import { badRequest, notFound, unprocessable } from "../../../lib/errors.ts";
import { parseUuid } from "../../../lib/ids.ts";
import { ConcurrencyError, guardedBatch } from "../../../platform/db/batch.ts";
import { storeMailResponse } from "../../../platform/idempotency/responses.ts";
import { wakeAfterResponse } from "../../../platform/outbox/wake-after-response.ts";
import { findSenderOf, requireSendingAllowed, type SenderError } from "../../../sending/emails/index.ts";
import { getTopic, type TopicRow } from "../../../sending/topics/index.ts";
import { checkSize } from "../change.ts";
import { tooManyContacts } from "../check-start.ts";
import { newFanOut, type Sender, serializeFanOut } from "../fan-out.ts";
import { insertStatements, newRow } from "../new-row.ts";
import { limits } from "../rules.ts";
import { skipWords } from "../skip-reasons.ts";
import { countDiffering, leftOf } from "../topic-audience.ts";
import type { BulkSendIn, BulkSendOut } from "./schema.ts";

/** Skipped contacts that a response names (docs/contract/broadcasts.md#bulk-sends). */
const MAX_ERRORS = 100;

// One statement, so that counts, audience and errors are those of one moment.
const COUNT = `
  SELECT l.n, (SELECT coalesce(max(n), 0) FROM contacts) AS lastContact,
    (SELECT count(*) FROM contacts c WHERE c.list = l.n) AS contacts,
    (SELECT count(*) FROM contacts c WHERE c.list = l.n AND (c.suppressed IS NOT NULL OR c.soft_bounced OR c.pending_since IS NOT NULL)) AS skipped,
    (SELECT json_group_array(json_object('email', email, 'reason', coalesce(suppressed, iif(soft_bounced, 'soft_bounces', 'pending')))) FROM (
       SELECT email, suppressed, soft_bounced FROM contacts c
        WHERE c.list = l.n AND (c.suppressed IS NOT NULL OR c.soft_bounced OR c.pending_since IS NOT NULL)
        ORDER BY c.id LIMIT ?3)) AS errors
    FROM contact_lists l WHERE l.workspace = ?1 AND l.id = ?2`;

interface Counted {
  n: number;
  lastContact: number;
  contacts: number;
  skipped: number;
  errors: string;
}

const HAS_LIST = "EXISTS (SELECT 1 FROM contact_lists l WHERE l.workspace = b.workspace AND l.id = b.contact_list_id)";

/**
 * Sends to every contact of a list. The audience is fixed by this call: the contacts of this moment that are not on the suppression list,
 * which is read again when the emails are made and dispatched. Throws 403 when the account or workspace may not send, 404 for the list, the
 * mailbox or the topic, 400 for another list in the body or an empty or too large list, 413 for too large a content, 422 for a mailbox that
 * is inactive or on a domain that is not verified.
 */
export async function sendToList(ctx: CallerCtx, listId: string, input: BulkSendIn): Promise<BulkSendOut> {
  requireSendingAllowed(ctx, "bulk");
  const id = parseUuid(listId);
  const list = id && (await countList(ctx, id));
  if (!list) throw notFound("Contact list");
  if (input.contact_list_id !== id) throw badRequest("contact_list_id differs from the list in the path");
  const sender = await findSenderOf(ctx, input.mailbox_id);
  if ("error" in sender) throw toError(sender);
  if (list.contacts === 0) throw badRequest("The contact list is empty");
  if (list.contacts > limits.audience) throw badRequest(tooManyContacts(list.contacts));
  const topic = input.topic_id ? await getTopic(ctx, input.topic_id) : null;
  const eligible = list.contacts - list.skipped;
  const left = topic === null ? 0 : await countLeft(ctx, topic, list, eligible);
  const response: BulkSendOut = {
    queued: eligible - left,
    skipped: list.skipped + left,
    errors: [
      ...(JSON.parse(list.errors) as { email: string; reason: keyof typeof skipWords }[]).map(
        ({ email, reason }) => `${email}: skipped, ${skipWords[reason]}`,
      ),
      ...(left > 0 ? [`${left}: skipped, not subscribed to the topic`] : []),
    ].slice(-MAX_ERRORS),
  };
  await start(ctx, id, { list, topic }, input, sender, response);
  return response;
}

/** Returns how many of the contacts who are not suppressed are not subscribed to a topic. */
async function countLeft(ctx: CallerCtx, topic: TopicRow, { n, lastContact }: Counted, eligible: number) {
  const contacts = { workspace: ctx.workspace.number, lists: [n], lastContact };
  return leftOf(topic, eligible, await countDiffering(ctx, topic, contacts));
}

const toError = ({ error }: SenderError) =>
  error === "unknown"
    ? notFound("Mailbox")
    : unprocessable([{ loc: ["body", "mailbox_id"], msg: error, type: "sender_not_allowed" }]);

function countList(ctx: CallerCtx, id: string): Promise<Counted | null> {
  return ctx.mail.findRow<Counted>(COUNT, ctx.workspace.number, id, MAX_ERRORS);
}

async function start(
  ctx: CallerCtx,
  listId: string,
  { list, topic }: { list: Counted; topic: TopicRow | null },
  input: BulkSendIn,
  sender: Sender,
  response: BulkSendOut,
): Promise<void> {
  const { subject, html, text, tags } = input;
  const row = newRow(ctx, {
    status: "sending",
    contact_list_id: listId,
    mailbox_id: sender.mailboxId,
    topic_id: topic?.id ?? null,
    name: "Bulk send",
    subject,
    from_address: sender.email,
    from_domain: sender.domain,
    fan_out: serializeFanOut(newFanOut([list.n], list.lastContact, { sender, topic: topic?.n ?? null })),
    fan_out_step: 1,
    size: checkSize(input),
    html_body: html || null,
    text_body: text || null,
    bulk_tags: JSON.stringify(tags ?? []),
  });
  const { id, created_at: now } = row;
  try {
    await guardedBatch(ctx.mail, [
      // The list may have been deleted since it was counted.
      ...insertStatements(ctx, row, now, HAS_LIST),
      ...(await storeMailResponse(ctx, response)),
    ]);
  } catch (error) {
    if (error instanceof ConcurrencyError && !ctx.idempotency) throw notFound("Contact list");
    throw error;
  }
  await wakeAfterResponse(ctx, [{ dueAt: now, id, kind: "broadcast" }]);
}
