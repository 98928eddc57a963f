import type { Ctx } from "../context.ts";
import { mailDb } from "../db/client.ts";
import type { NewMessage } from "../mailbox-store/index.ts";
import { onNewestShard } from "../shards.ts";
import type { RecipientMailbox } from "./recipients.ts";

const INSERT = `
  INSERT OR IGNORE INTO inbound_emails (workspace, id, mailbox_id, domain_id, message_id, from_address, from_name, recipient,
    subject, text_preview, attachment_count, authentication, events, received_at)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)`;

/** Writes the inbound log entry of a delivery. A repeated delivery adds none. Throws when it could not be written. */
export async function logDelivery(
  ctx: Ctx,
  mailbox: RecipientMailbox,
  { id, recipient, message, folder }: { id: string; recipient: string; message: NewMessage; folder: string | null },
): Promise<void> {
  const mailCtx = onNewestShard(ctx, {
    id: mailbox.workspace_id,
    mailShards: JSON.parse(mailbox.mail_shards) as number[],
  });
  const events = [{ event: "stored", mailbox_id: mailbox.id, folder: folder ?? message.folder, at: ctx.now() }];
  await mailDb(mailCtx)
    .prepare(INSERT)
    .bind(
      mailbox.workspace,
      id,
      mailbox.id,
      mailbox.domain_id,
      message.messageId,
      message.from?.email ?? "",
      message.from?.name ?? null,
      recipient,
      message.subject,
      message.preview,
      message.parts.filter(({ use }) => use === "attachment").length,
      message.authentication ?? "{}",
      JSON.stringify(events),
      message.receivedAt,
    )
    .run();
}
