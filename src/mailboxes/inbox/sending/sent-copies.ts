import type { ComposedMessage } from "../../../mail/mime/message.ts";
import { composeRaw } from "../../../mail/raw/compose.ts";
import type { MailCtx, WakeUp } from "../../../platform/context.ts";
import type { emails } from "../../../platform/db/schema/mail/index.ts";
import type { StoredColumns } from "../../../platform/db/stored-row.ts";
import { consumeRows } from "../../../platform/outbox/consume-rows.ts";
import type { SentCopy } from "../../../platform/outbox/sent-copy.ts";
import { rawBodyOf, readContent, toAttachmentSource } from "../../../sending/emails/content/index.ts";
import { type ContentDocument, contentPlace, messageIdOf, type RecipientEntry } from "../../../sending/emails/index.ts";
import { mailboxStore } from "../../mailbox-store/index.ts";
import { composeOwn, putOwnMessage } from "./own-message.ts";

type EmailRow = { workspace_id: string } & StoredColumns<
  typeof emails,
  | (
      | "id"
      | "status"
      | "from_email"
      | "from_name"
      | "message_id"
      | "subject"
      | "recipients"
      | "scheduled_at"
      | "created_at"
    )
  | ("content" | "content_key" | "content_offset" | "content_size")
>;

const FIND_EMAIL = `
  SELECT e.id, w.id AS workspace_id, e.status, e.from_email, e.from_name, e.message_id, e.subject, e.recipients,
         e.content, e.content_key, e.content_offset, e.content_size, e.scheduled_at, e.created_at
    FROM emails e JOIN shard_workspaces w ON w.number = e.workspace WHERE e.workspace = ?1 AND e.id = ?2`;

/** Copies that one run makes; a copy with attachments holds up to 36 MB. */
const COPIES_PER_RUN = 20;

/**
 * Puts copies of sent emails into the Sent folders of their mailboxes. A copy is stored under a key of its email, so however
 * often a row is processed there is one copy. A cancelled email gets none, one that was rescheduled gets it later. Throws when
 * a step failed: the lease then expires and the next sweep finds the row.
 */
export async function copySent(ctx: MailCtx, wakeUps: readonly WakeUp[]): Promise<void> {
  await consumeRows(
    ctx,
    wakeUps,
    async ({ ref }) => {
      const copy = JSON.parse(ref) as SentCopy;
      const email = await ctx.mail.findRow<EmailRow>(FIND_EMAIL, copy.workspace, copy.email);
      if (email?.status === "scheduled") return { dueAt: Math.max(email.scheduled_at ?? 0, ctx.now() + 60_000) };
      if (email && email.status !== "cancelled") await copyOne(ctx, copy, email);
      if (email?.status === "cancelled" && copy.draft !== null)
        await mailboxStore(ctx, copy.mailbox).claimDraft(copy.draft, null, email.id);
      return "done";
    },
    (started) => started < COPIES_PER_RUN,
  );
}

async function copyOne(ctx: MailCtx, copy: SentCopy, email: EmailRow): Promise<void> {
  const location = {
    id: email.id,
    contentKey: email.content_key,
    contentOffset: email.content_offset,
    contentSize: email.content_size,
    content: email.content,
    workspace: copy.workspace,
    variables: null,
    broadcast: null,
    variant: null,
    contact: null,
  };
  const content = await readContent(ctx, email.workspace_id, location);
  const isKept = await ctx.db.findRow("SELECT 1 FROM mailboxes WHERE id = ?1", copy.mailbox);
  if (!content || !isKept) return;
  const store = mailboxStore(ctx, copy.mailbox);
  const message = await putOwnMessage(ctx, {
    mailboxId: copy.mailbox,
    id: email.id,
    folder: "Sent",
    message: compose(ctx, email, content, contentPlace(email.workspace_id, location).key),
    date: dateOf(email),
    bcc: ofKind(email, "bcc"),
    deliveryKey: `sent ${email.id}`,
    isSubmitted: content.raw !== undefined,
  });
  // A full mailbox must not keep what was sent out of Sent.
  const added = await store.add(message, null);
  if (added.result === "duplicate" && added.object !== message.object) await ctx.env.CONTENT.delete(message.object);
  if (copy.draft !== null) await store.expunge("Drafts", [copy.draft]);
}

/** Returns the message of an email: the bytes that a mail program submitted, or what webmail composes. */
function compose(ctx: MailCtx, email: EmailRow, content: ContentDocument, key: string): ComposedMessage {
  return content.raw
    ? composeRaw(content.raw, rawBodyOf(ctx, key, content.raw))
    : composeOwn(toInput(ctx, email, content, key));
}

const dateOf = (email: EmailRow) => new Date(email.scheduled_at ?? email.created_at);

function toInput(ctx: MailCtx, email: EmailRow, content: ContentDocument, key: string) {
  return {
    id: email.id,
    messageId: messageIdOf({ id: email.id, messageId: email.message_id, fromEmail: email.from_email }),
    date: dateOf(email),
    from: { email: email.from_email, name: email.from_name },
    to: ofKind(email, "to"),
    cc: ofKind(email, "cc"),
    replyTo: content.reply_to,
    subject: email.subject,
    headers: content.headers,
    text: content.text,
    html: content.html,
    attachments: content.attachments.map((file) => toAttachmentSource(ctx, key, file)),
  };
}

function ofKind({ recipients }: EmailRow, kind: RecipientEntry["kind"]) {
  const all = JSON.parse(recipients) as RecipientEntry[];
  return all.filter((entry) => entry.kind === kind).map(({ email, name }) => ({ email, name: name ?? null }));
}
