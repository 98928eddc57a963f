import { env } from "cloudflare:workers";
import { BEGINNING } from "../../../src/mailboxes/inbox/archives/entries.ts";

/** Starts an import in the background of a mailbox, without an outbox row, and returns its id. */
export async function startedImport(mailboxId: string): Promise<string> {
  const id = crypto.randomUUID();
  const archive = { object: `mailboxes/${mailboxId}/files/${id}`, size: 1, format: "mbox" as const, folder: "INBOX" };
  const counts = { imported: 0, duplicates: 0, skipped: 0, errors: [] };
  await env.MAILBOX.getByName(mailboxId).startImport({ id, ...archive, cursor: BEGINNING, counts });
  return id;
}
