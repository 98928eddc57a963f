import type { CallerCtx } from "../../../access/caller.ts";
import { findContacts, getContact } from "../../../audience/contacts/index.ts";
import { lowerCase } from "../../../lib/addresses.ts";
import type { Values } from "../../../lib/placeholders.ts";

/** Name of the field with the address of a contact whose values a preview shows. */
export const CONTACT = "contact";

export const mayReadContacts = ({ actor }: CallerCtx) => actor.scopes.has("contacts:view");

/**
 * Returns the values that a broadcast to a contact fills in, by its address: those of one of the lists that it is in. Null: no address,
 * no contact with it, or no right to read contacts. Two D1 calls at most.
 */
export async function contactValues(ctx: CallerCtx, address: string): Promise<Values | null> {
  const wanted = address.trim();
  if (wanted === "" || !mayReadContacts(ctx)) return null;
  const [found] = await findContacts(ctx, wanted, 1);
  if (!found || lowerCase(found.email) !== lowerCase(wanted)) return null;
  const { metadata, email, name } = await getContact(ctx, found.listId, found.id);
  const own: Record<string, unknown> = metadata === null ? {} : JSON.parse(metadata);
  return { ...own, email, name: name ?? "" };
}
