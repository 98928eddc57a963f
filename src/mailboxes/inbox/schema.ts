import * as z from "zod";
import { named, serialize, timestamp } from "../../lib/serialize.ts";
import { iso } from "../../lib/time.ts";
import type { Label, MessageItem, Person } from "../mailbox-store/index.ts";

/** Response schemas that several parts of the inbox API share. */

export const Address = z
  .object({
    email: z.string().describe("Empty for a sender without an address."),
    name: z.string().nullable(),
  })
  .meta(named("InboxAddress", { email: "ada@example.org", name: "Ada" }));

export const itemExample = {
  uid: 7,
  folder: "INBOX",
  message_id: "<a1b2@example.org>",
  thread_id: "5b1c86a5-52ee-4b6e-9c26-6dbf1c1fd0b0",
  from: { email: "ada@example.org", name: "Ada" },
  to: [{ email: "hello@example.com", name: null }],
  subject: "Your receipt",
  date: "2026-11-21T14:12:48.000Z",
  size: 2048,
  seen: false,
  flagged: false,
  answered: false,
  has_attachments: false,
  labels: [],
  preview: "Thank you for your order.",
};

export const messageFields = {
  uid: z.int(),
  folder: z.string(),
  message_id: z.string().nullable(),
  thread_id: z.string(),
  from: Address.nullable(),
  to: z.array(Address),
  subject: z.string(),
  date: timestamp,
  size: z.int().describe("Bytes of the original message."),
  seen: z.boolean(),
  flagged: z.boolean(),
  answered: z.boolean(),
  has_attachments: z.boolean(),
  labels: z.array(z.string()).describe("Ids of labels."),
  preview: z.string().describe("The first 200 characters of the text."),
};

export const ItemOut = z.object(messageFields).meta(named("InboxMessageItem", itemExample));
export type ItemOut = z.output<typeof ItemOut>;

export const PageOut = z
  .object({ items: z.array(ItemOut), total: z.int(), limit: z.int(), offset: z.int() })
  .meta(named("InboxMessagePage", { items: [itemExample], total: 1, limit: 50, offset: 0 }));

/** Where a message is after it was moved. */
export const PlaceOut = z
  .object({ uid: z.int().describe("The UID in the new folder."), folder: z.string() })
  .meta(named("InboxPlace", { uid: 12, folder: "Archive" }));

export const FolderOut = z
  .object({
    name: z.string(),
    role: z.string().nullable(),
    unseen: z.int(),
    total: z.int(),
    uidvalidity: z.int(),
    uidnext: z.int(),
  })
  .meta(
    named("InboxFolder", { name: "INBOX", role: "inbox", unseen: 2, total: 7, uidvalidity: 1795000001, uidnext: 9 }),
  );

export const LabelOut = z
  .object({ id: z.uuid(), name: z.string(), color: z.string() })
  .meta(named("InboxLabel", { id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a75", name: "Bills", color: "#c0392b" }));

export const toLabel = ({ id, name, color }: Label): z.output<typeof LabelOut> => ({ id, name, color });
export const toAddress = ({ email, name }: Person): z.output<typeof Address> => ({ email, name });

/** Serializes a message of a list. */
export const toItem = (item: MessageItem): ItemOut =>
  serialize(ItemOut, {
    ...item,
    from: item.from && toAddress(item.from),
    to: item.to.map(toAddress),
    date: iso(item.date),
  });
