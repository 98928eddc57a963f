import * as z from "zod";
import { addressField } from "../../lib/address-field.ts";
import type { ColumnUse } from "../../lib/csv/columns.ts";
import { isUuid } from "../../lib/ids.ts";
import { objectField } from "../../lib/object-field.ts";
import { serialize, timestamp } from "../../lib/serialize.ts";
import { limitedText, lineField, lineText, nameField, paragraphText } from "../../lib/text-fields.ts";
import { iso } from "../../lib/time.ts";
import { importExample, importedRows } from "../../platform/csv-imports/schema.ts";
import { consentLimits } from "../consent/index.ts";
import type { ContactRow, ListRow } from "./queries.ts";
import { limits } from "./rules.ts";

/** Request and response schemas of contact lists and contacts. */

const Name = lineField("name", limits.nameCharacters);

const ListFields = {
  name: Name,
  description: limitedText("description", limits.descriptionCharacters)
    .nullable()
    .meta({ maxLength: limits.descriptionCharacters }),
  icon_seed: limitedText("icon_seed", limits.iconSeedCharacters)
    .nullable()
    .meta({ maxLength: limits.iconSeedCharacters })
    .describe("Seed for a generated icon."),
  confirm: z
    .boolean()
    .describe("true: new contacts are pending, and get no bulk mail, until they use the link of a confirmation mail."),
  confirm_mailbox_id: z
    .string()
    .toLowerCase()
    .refine(isUuid, "must be a UUID")
    .nullable()
    .meta({ format: "uuid" })
    .describe("The mailbox that sends confirmation mails. null: the oldest active mailbox on a verified domain."),
  confirm_subject: lineText("confirm_subject", consentLimits.subjectCharacters)
    .nullable()
    .meta({ minLength: 1, maxLength: consentLimits.subjectCharacters })
    .describe("Subject of confirmation mails. null: the default."),
  confirm_text: paragraphText("confirm_text", consentLimits.textCharacters)
    .nullable()
    .meta({ minLength: 1, maxLength: consentLimits.textCharacters })
    .describe("Text of confirmation mails, above the button. null: the default."),
};

export const ListIn = z
  .object(ListFields)
  .partial()
  .extend({ name: Name, confirm: ListFields.confirm.default(false) })
  .meta({ ref: "ContactListCreate", example: { name: "Customers", description: "Everyone with an order" } });
export type ListIn = z.output<typeof ListIn>;

export const ListPatch = z
  .object(ListFields)
  .partial()
  .meta({ ref: "ContactListUpdate", example: { name: "Customers of 2026" } });
export type ListPatch = z.output<typeof ListPatch>;

const listExample = {
  id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a0a",
  name: "Customers",
  description: "Everyone with an order",
  icon_seed: null,
  contact_count: 1,
  created_at: "2026-11-21T14:00:00.000Z",
  confirm: false,
  confirm_mailbox_id: null,
  confirm_subject: null,
  confirm_text: null,
};

export const ListOut = z
  .object({
    id: z.uuid(),
    name: z.string(),
    description: z.string().nullable(),
    icon_seed: z.string().nullable(),
    contact_count: z.int(),
    created_at: timestamp,
    confirm: z.boolean(),
    confirm_mailbox_id: z.uuid().nullable(),
    confirm_subject: z.string().nullable(),
    confirm_text: z.string().nullable(),
  })
  .meta({ ref: "ContactList", examples: [listExample] });
export type ListOut = z.output<typeof ListOut>;

const Metadata = objectField("metadata", limits.metadataBytes)
  .nullable()
  .meta({
    type: ["object", "null"],
    additionalProperties: true,
    description: `Values for placeholders, by name. At most ${limits.metadataBytes} bytes of JSON; numbers up to 2^53 - 1.`,
  });

const SUBSCRIBED =
  "subscribed cannot be set here. POST /v1/suppressions/ with the reason unsubscribe unsubscribes the address, DELETE /v1/suppressions/{email} subscribes it again";
const Subscribed = z.never({ error: SUBSCRIBED }).optional().describe(`${SUBSCRIBED}.`);

const contactExample = {
  email: "ada@example.org",
  name: "Ada Lovelace",
  metadata: { city: "London", plan: "gold" },
};

const Consent = z
  .object({
    source: lineField("source", consentLimits.sourceCharacters).describe(
      "Where and how the person agreed, in your words.",
    ),
    given_at: z.iso
      .datetime({ offset: true })
      .transform((text) => Date.parse(text))
      .optional()
      .meta({ type: "string", format: "date-time" })
      .describe("When the person agreed. Absent: now."),
  })
  .nullable()
  .describe("States consent that you have. The contact is active at once, and the statement is kept as evidence.");

export const ContactIn = z
  .object({
    email: addressField,
    name: nameField.optional(),
    metadata: Metadata.optional(),
    subscribed: Subscribed,
    consent: Consent.optional(),
  })
  .meta({ ref: "ContactCreate", example: contactExample });
export type ContactIn = z.output<typeof ContactIn>;

export const ContactPatch = z
  .object({ email: addressField, name: nameField, metadata: Metadata, subscribed: Subscribed })
  .partial()
  .meta({ ref: "ContactUpdate", example: { name: "Ada King", metadata: { city: "London", plan: "silver" } } });
export type ContactPatch = z.output<typeof ContactPatch>;

const contactOutExample = {
  id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a0b",
  ...contactExample,
  subscribed: true,
  suppressed: false,
  status: "active",
  created_at: "2026-11-21T14:00:00.000Z",
};

export const ContactOut = z
  .object({
    id: z.uuid(),
    email: z.string(),
    name: z.string().nullable(),
    metadata: z.record(z.string(), z.unknown()).nullable(),
    subscribed: z.boolean().describe("false: the address has unsubscribed from bulk and broadcast mail."),
    suppressed: z
      .boolean()
      .describe(
        "true: a bounce, a complaint or a manual entry stops all mail to the address, or soft bounces its bulk mail.",
      ),
    status: z
      .enum(["pending", "active"])
      .describe("pending: the list asks for confirmation, and the contact has not confirmed yet."),
    created_at: timestamp,
  })
  .meta({ ref: "Contact", examples: [contactOutExample] });
export type ContactOut = z.output<typeof ContactOut>;

export const ListWithContactsOut = ListOut.extend({ contacts: z.array(ContactOut) }).meta({
  ref: "ContactListWithContacts",
  examples: [{ ...listExample, contacts: [contactOutExample] }],
});

const USE = /^(?:email|name|first_name|last_name|unsubscribed|topic:[0-9a-f-]{36}|metadata\..+)$/s;
const isUse = (use: unknown): use is ColumnUse => use === null || (typeof use === "string" && USE.test(use));

/** Uses of the columns of a file, by their headers. */
export const ColumnUsesIn = z.record(
  z.string(),
  z.custom<ColumnUse>(
    isUse,
    "columns has values such as email, name, first_name, last_name, unsubscribed, topic:<id>, metadata.city and null",
  ),
);

export const ImportOut = importedRows({
  imported: "Contacts that the list did not have.",
  skipped: "Rows whose address the list has already, and rows without an address.",
}).meta({ ref: "ContactImport", examples: [importExample] });

/** Serializes a contact list. */
export function toList({ n: _, confirm, created_at, ...row }: Omit<ListRow, "n"> & { n?: number }): ListOut {
  return { ...row, confirm: confirm === 1, created_at: iso(created_at) };
}

/** Serializes a contact. */
export function toContact(row: ContactRow): ContactOut {
  const metadata = row.metadata === null ? null : (JSON.parse(row.metadata) as Record<string, unknown>);
  const status = row.pending_since === null ? "active" : "pending";
  const subscribed = row.unsubscribed === 0;
  const isBlocked = row.suppressed !== null && row.suppressed !== "unsubscribe";
  return serialize(ContactOut, {
    ...row,
    metadata,
    subscribed,
    suppressed: isBlocked || row.soft_bounced === 1,
    status,
  });
}
