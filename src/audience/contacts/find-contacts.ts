import type { CallerCtx } from "../../access/caller.ts";
import { lowerCase } from "../../lib/addresses.ts";

/** A contact with the list that it is in. */
export interface FoundContact {
  id: string;
  email: string;
  name: string | null;
  listId: string;
  listName: string;
}

const BY_START = `
  SELECT c.id, c.email, c.name, l.id AS listId, l.name AS listName FROM contacts c JOIN contact_lists l ON l.n = c.list
   WHERE c.workspace = ?1 AND c.email_key >= ?2 AND c.email_key < ?3 ORDER BY c.email_key LIMIT ?4`;

/** Returns at most `limit` contacts of all lists of the caller's workspace whose address begins with a text. It reads no more rows. */
export async function findContacts(ctx: CallerCtx, text: string, limit: number): Promise<FoundContact[]> {
  const start = lowerCase(text);
  return ctx.mail.listRows<FoundContact>(BY_START, ctx.workspace.number, start, `${start}\u{10ffff}`, limit);
}
