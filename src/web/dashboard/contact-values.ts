import type { CallerCtx } from "../../access/caller.ts";
import { contactValuesOf } from "../../audience/broadcasts/index.ts";
import { findSampleContact } from "../../audience/contacts/index.ts";
import type { Values } from "../../lib/placeholders.ts";

/** Name of the field with the address of a contact whose values a preview shows. */
export const CONTACT = "contact";

export const mayReadContacts = ({ actor }: CallerCtx) => actor.scopes.has("contacts:view");

/** Returns the values that a broadcast fills in for the oldest contact with an address, or null. One D1 call at most. */
export async function contactValues(ctx: CallerCtx, address: string): Promise<Values | null> {
  const contact = address.trim() === "" ? null : await findSampleContact(ctx, { address });
  return contact && contactValuesOf(contact);
}
