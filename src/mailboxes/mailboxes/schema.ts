import * as z from "zod";
import { idField } from "../../lib/id-field.ts";
import { named, serialize } from "../../lib/serialize.ts";
import { nameField } from "../../lib/text-fields.ts";
import type { MailboxRow } from "./queries.ts";

/** Request and response schemas of the mailboxes API. */

const Quota = z
  .int()
  .min(0)
  .max(2 ** 50)
  .nullable()
  .describe("Maximum size of the stored messages in bytes. null: no limit.");

export const MailboxIn = z
  .object({
    domain_id: idField().describe("Id of the domain."),
    local_part: z.string().max(1000).meta({
      minLength: 1,
      maxLength: 64,
      pattern: "^[^@+\\u0000-\\u0020]*$",
      description:
        "The part of the address before the @, at most 64 bytes. `*` creates a catch-all: it receives mail to every address without a mailbox.",
    }),
    display_name: nameField.optional(),
    quota_bytes: Quota.optional(),
  })
  .meta({
    ref: "MailboxCreate",
    // `example`, not `examples`: zod drops those of a schema with a transform.
    example: { domain_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a02", local_part: "receipts", display_name: "Shop" },
  });
export type MailboxIn = z.output<typeof MailboxIn>;

export const MailboxPatch = z
  .object({ display_name: nameField, is_active: z.boolean(), quota_bytes: Quota })
  .partial()
  .meta({ ref: "MailboxUpdate", example: { display_name: "Example Shop", is_active: true } });
export type MailboxPatch = z.output<typeof MailboxPatch>;

export const AssigneesIn = z
  .object({
    user_ids: z
      .array(z.string().toLowerCase().meta({ format: "uuid" }))
      .max(1000)
      .describe("Ids of members of the workspace. Replaces the whole list."),
  })
  .meta(named("MailboxAssignees", { user_ids: ["019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a05"] }));
export type AssigneesIn = z.output<typeof AssigneesIn>;

export const MailboxOut = z
  .object({
    id: z.uuid(),
    domain_id: z.uuid(),
    address: z.string(),
    display_name: z.string().nullable(),
    is_active: z.boolean(),
    quota_bytes: z.int().nullable(),
    used_bytes: z.int(),
    assignee_ids: z.array(z.uuid()),
    created_at: z.string().meta({ format: "date-time" }),
  })
  .meta(
    named("Mailbox", {
      id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a03",
      domain_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a02",
      address: "receipts@example.com",
      display_name: "Example Shop",
      is_active: true,
      quota_bytes: null,
      used_bytes: 0,
      assignee_ids: [],
      created_at: "2026-11-21T14:00:00.000Z",
    }),
  );
export type MailboxOut = z.output<typeof MailboxOut>;

/** Serializes a mailbox with its assignees. */
export const toMailbox = (row: MailboxRow): MailboxOut =>
  serialize(MailboxOut, { ...row, assigneeIds: JSON.parse(row.assigneeIds) as string[] });

export const PasswordIn = z
  .object({ password: z.string().min(12).max(256).describe("At least 12 characters, at most 256.") })
  .meta(named("MailboxPassword", { password: "correct horse battery staple" }));
