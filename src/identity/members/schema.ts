import * as z from "zod";
import { named, serialize, timestamp } from "../../lib/serialize.ts";
import type { MemberRow } from "./queries.ts";
import { roles } from "./rules.ts";

const MailboxesOnly = z
  .boolean()
  .describe(
    "True for a member that sees only the mailboxes that it is assigned to (docs/contract/workspaces.md#members-of-mailboxes).",
  );

/** Refuses roles that see all mailboxes anyway. */
export const standingFields = {
  role: z.enum(roles),
  mailboxes_only: MailboxesOnly.optional(),
};
export const isStanding = ({ role, mailboxes_only: only }: { role: string; mailboxes_only?: boolean | undefined }) =>
  !only || role === "member";
export const NOT_STANDING = { message: "mailboxes_only is for the role member", path: ["mailboxes_only"] };

/** A member of a workspace. */
export const MemberOut = z
  .object({
    user_id: z.uuid(),
    email: z.string(),
    name: z.string().nullable(),
    role: z.enum(roles),
    mailboxes_only: MailboxesOnly,
    created_at: timestamp.describe("When the user joined."),
  })
  .meta(
    named("Member", {
      user_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a05",
      email: "owner@example.com",
      name: "Ada",
      role: "owner",
      mailboxes_only: false,
      created_at: "2026-11-21T14:00:00.000Z",
    }),
  );
export type MemberOut = z.output<typeof MemberOut>;

export const MemberPatch = z
  .object(standingFields)
  .refine(isStanding, NOT_STANDING)
  .meta(named("MemberUpdate", { role: "owner", mailboxes_only: false }));
export type MemberPatch = z.output<typeof MemberPatch>;

export const toStanding = ({ role, mailboxes_only: mailboxesOnly }: MemberPatch) => ({ role, mailboxesOnly });

/** Serializes a member. */
export const toMember = (row: MemberRow): MemberOut => serialize(MemberOut, row);
