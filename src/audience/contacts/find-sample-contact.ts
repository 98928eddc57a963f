import type { CallerCtx } from "../../access/caller.ts";
import { addressKey } from "../../lib/addresses.ts";

/** The values of a contact. */
export interface ContactValues {
  email: string;
  /** Canonical address. */
  key: string;
  name: string | null;
  /** JSON of an object; null: none. */
  metadata: string | null;
}

const COLUMNS = "c.email, c.email_key AS key, c.name, c.metadata";
const BY_ADDRESS = `SELECT ${COLUMNS} FROM contacts c WHERE c.workspace = ?1 AND c.email_key = ?2 ORDER BY c.n LIMIT 1`;
const OF_LIST = `
  SELECT ${COLUMNS} FROM contact_lists l CROSS JOIN contacts c ON c.list = l.n WHERE l.workspace = ?1 AND l.id = ?2 ORDER BY c.id LIMIT 1`;
const OF_WORKSPACE = `SELECT ${COLUMNS} FROM contacts c WHERE c.workspace = ?1 ORDER BY c.id LIMIT 1`;

/** Returns the oldest contact of an address, list or workspace; null when there is none, or the caller may not read contacts. */
export async function findSampleContact(
  ctx: CallerCtx,
  { address = "", listId = null }: { address?: string | undefined; listId?: string | null },
): Promise<ContactValues | null> {
  if (!ctx.actor.scopes.has("contacts:view")) return null;
  const { number } = ctx.workspace;
  if (address.trim() !== "") return ctx.mail.findRow<ContactValues>(BY_ADDRESS, number, addressKey(address.trim()));
  return listId === null
    ? ctx.mail.findRow<ContactValues>(OF_WORKSPACE, number)
    : ctx.mail.findRow<ContactValues>(OF_LIST, number, listId);
}
