import * as z from "zod";
import { parseAddress } from "../../lib/addresses.ts";
import { findInexactNumber, INEXACT_NUMBER } from "../../lib/inexact-numbers.ts";
import { nameIssue } from "../../lib/text-rules.ts";
import { iso } from "../../lib/time.ts";
import { timestamp } from "../../lib/timestamp.ts";
import type { ContactRow, ListRow } from "./queries.ts";
import { isPrintable, isWithin, limits, metadataIssue, stateOf } from "./rules.ts";

/** Request and response schemas of contact lists and contacts. */

const Name = z
  .string()
  .refine(isPrintable, "name must not contain control characters or line breaks")
  .trim()
  .refine(
    (name) => name !== "" && isWithin(name, limits.nameCharacters),
    `name must have 1 to ${limits.nameCharacters} characters`,
  )
  .meta({ minLength: 1, maxLength: limits.nameCharacters });

const limitedText = (field: string, max: number) =>
  z
    .string()
    .refine((text) => isWithin(text, max), `${field} must have at most ${max} characters`)
    .nullable()
    .meta({ maxLength: max });

const ListFields = {
  name: Name,
  description: limitedText("description", limits.descriptionCharacters),
  icon_seed: limitedText("icon_seed", limits.iconSeedCharacters).describe("Seed for a generated icon."),
};

export const ListIn = z
  .object({
    ...ListFields,
    description: ListFields.description.optional(),
    icon_seed: ListFields.icon_seed.optional(),
  })
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
};

export const ListOut = z
  .object({
    id: z.uuid(),
    name: z.string(),
    description: z.string().nullable(),
    icon_seed: z.string().nullable(),
    contact_count: z.int(),
    created_at: timestamp,
  })
  .meta({ ref: "ContactList", examples: [listExample] });
export type ListOut = z.output<typeof ListOut>;

const Email = z
  .string()
  .max(1000)
  .transform((text, context) => {
    const address = parseAddress(text);
    if (address) return address;
    context.addIssue({ code: "custom", message: "email must be a valid email address" });
    return z.NEVER;
  })
  .meta({ minLength: 3, maxLength: 254, pattern: "@" });

const ContactName = z
  .string()
  .transform((name) => name.trim() || null)
  .superRefine((name, context) => {
    const issue = nameIssue(name ?? "");
    if (issue) context.addIssue({ code: "custom", message: issue });
  })
  .nullable()
  .meta({ maxLength: 320, pattern: "^[^\\u0000-\\u001f\\u007f\\u2028\\u2029]*$" })
  .describe("At most 320 bytes, without control and invisible characters.");

// Checked by hand: a record of zod would drop the key `__proto__`.
const Metadata = z
  .custom<Record<string, unknown>>((value) => typeof value === "object" && value !== null && !Array.isArray(value), {
    error: "metadata must be an object",
  })
  .superRefine((metadata, context) => {
    const issue = metadataIssue(JSON.stringify(metadata));
    if (issue) context.addIssue({ code: "custom", message: issue });
    const path = findInexactNumber(metadata);
    if (path) context.addIssue({ code: "custom", path, message: INEXACT_NUMBER });
  })
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

export const ContactIn = z
  .object({ email: Email, name: ContactName.optional(), metadata: Metadata.optional(), subscribed: Subscribed })
  .meta({ ref: "ContactCreate", example: contactExample });
export type ContactIn = z.output<typeof ContactIn>;

export const ContactPatch = z
  .object({ email: Email, name: ContactName, metadata: Metadata, subscribed: Subscribed })
  .partial()
  .meta({ ref: "ContactUpdate", example: { name: "Ada King", metadata: { city: "London", plan: "silver" } } });
export type ContactPatch = z.output<typeof ContactPatch>;

const contactOutExample = {
  id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a0b",
  ...contactExample,
  subscribed: true,
  suppressed: false,
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
    created_at: timestamp,
  })
  .meta({ ref: "Contact", examples: [contactOutExample] });
export type ContactOut = z.output<typeof ContactOut>;

export const ListWithContactsOut = ListOut.extend({ contacts: z.array(ContactOut) }).meta({
  ref: "ContactListWithContacts",
  examples: [{ ...listExample, contacts: [contactOutExample] }],
});

export const ImportOut = z
  .object({
    imported: z.int(),
    skipped: z.int().describe("Rows whose address the list has already, and rows without an address."),
    errors: z.array(z.string()).describe("One text for each rejected row, with its number and the reason."),
  })
  .meta({
    ref: "ContactImport",
    examples: [{ imported: 2, skipped: 1, errors: ['Row 3: "ada@" is not a valid email address'] }],
  });
export type ImportOut = z.output<typeof ImportOut>;

/** Serializes a contact list. */
export function toList(row: Omit<ListRow, "n">): ListOut {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    icon_seed: row.icon_seed,
    contact_count: row.contact_count,
    created_at: iso(row.created_at),
  };
}

/** Serializes a contact. */
export function toContact(row: ContactRow): ContactOut {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    metadata: row.metadata === null ? null : (JSON.parse(row.metadata) as Record<string, unknown>),
    ...stateOf(row),
    created_at: iso(row.created_at),
  };
}
