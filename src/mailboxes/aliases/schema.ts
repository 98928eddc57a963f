import * as z from "zod";
import { named, timestamp } from "../../lib/serialize.ts";
import { iso } from "../../lib/time.ts";
import type { mailboxAliases } from "../../platform/db/schema/main/index.ts";
import type { StoredRow } from "../../platform/db/stored-row.ts";

export const AliasIn = z
  .object({
    address: z
      .string()
      .max(1000)
      .meta({ maxLength: 254, pattern: "@" })
      .describe("An address at a verified domain of the workspace, without a plus-label."),
  })
  .meta(named("MailboxAliasCreate", { address: "sales@example.com" }));
export type AliasIn = z.output<typeof AliasIn>;

export const AliasOut = z
  .object({ id: z.uuid(), mailbox_id: z.uuid(), domain_id: z.uuid(), address: z.string(), created_at: timestamp })
  .meta(
    named("MailboxAlias", {
      id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a92",
      mailbox_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a03",
      domain_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a02",
      address: "sales@example.com",
      created_at: "2026-11-21T14:00:00.000Z",
    }),
  );
export type AliasOut = z.output<typeof AliasOut>;

export type AliasRow = Omit<StoredRow<typeof mailboxAliases>, "workspace">;

/** Serializes an alias. */
export const toAlias = (row: AliasRow): AliasOut => ({ ...row, created_at: iso(row.created_at) });
