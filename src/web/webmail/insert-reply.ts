import { contactValuesOf } from "../../audience/broadcasts/index.ts";
import { findSampleContact } from "../../audience/contacts/index.ts";
import { addressKey } from "../../lib/addresses.ts";
import { invalidField } from "../../lib/errors.ts";
import { parsePlaceholders, renderPlaceholders, type Values } from "../../lib/placeholders.ts";
import { textToHtml } from "../../lib/text-to-html.ts";
import { type ComposeForm, toAddresses } from "./compose-form.ts";
import type { OpenPage } from "./layout.tsx";

/** Greatest length of a saved reply with its values filled in, in UTF-16 units. */
const MAX_FILLED = 100_000;

/**
 * Inserts a saved reply above the text of a form. Its placeholders get the fields of the contact with the first address, as far as the
 * caller may read contacts. Throws 422 for a reply that was deleted.
 */
export async function insertReply(page: OpenPage, form: ComposeForm, id: string): Promise<void> {
  const reply = await page.mailbox.store.findSavedReply(id);
  if (!reply) throw invalidField("saved_reply", "This saved reply was deleted");
  const values = await valuesFor(page, toAddresses(form.to)[0] ?? "");
  const text = renderPlaceholders(parsePlaceholders(reply.text), values, "text", MAX_FILLED) ?? reply.text;
  form.text = `${text}\n${form.text}`;
  if (form.html !== "") form.html = `${textToHtml(text)}${form.html}`;
}

/** Returns the values of the contact with an address, or the name by which the mailbox knows it. */
async function valuesFor({ caller, mailbox }: OpenPage, address: string): Promise<Values> {
  if (address === "") return {};
  const contact = await findSampleContact(caller, { address });
  if (contact) return contactValuesOf(contact);
  const known = await mailbox.store.addresses(address);
  return { email: address, name: known.find(({ email }) => addressKey(email) === addressKey(address))?.name };
}
