import * as z from "zod";
import { named, serialize, timestamp } from "../../lib/serialize.ts";
import { isStanding, NOT_STANDING, roles, standingFields } from "../members/index.ts";
import type { InvitationRow } from "./queries.ts";

export const InvitationIn = z
  .object({
    email: z.string().max(1000).meta({ minLength: 3, maxLength: 254, pattern: "@" }),
    ...standingFields,
    role: standingFields.role.default("member"),
  })
  .refine(isStanding, NOT_STANDING)
  .meta(named("InvitationCreate", { email: "grace@example.org", role: "admin", mailboxes_only: false }));
export type InvitationIn = z.output<typeof InvitationIn>;

const example = {
  id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a12",
  email: "grace@example.org",
  role: "admin" as const,
  mailboxes_only: false,
  invited_by: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a05",
  created_at: "2026-11-21T14:00:00.000Z",
  expires_at: "2026-11-28T14:00:00.000Z",
};

/** An invitation to a workspace (docs/contract/workspaces.md#invitations). Its token is in the mailed link only. */
export const InvitationOut = z
  .object({
    id: z.uuid(),
    email: z.string(),
    role: z.enum(roles),
    mailboxes_only: z.boolean(),
    invited_by: z.uuid().describe("Id of the user who sent it."),
    created_at: timestamp,
    expires_at: timestamp,
  })
  .meta(named("Invitation", example));
export type InvitationOut = z.output<typeof InvitationOut>;

/** A new invitation. */
export const SentInvitationOut = InvitationOut.extend({
  email_sent: z
    .boolean()
    .describe("False: the address gets no further email today, and the person sees the invitation after sign-in."),
}).meta(named("InvitationSent", { ...example, email_sent: true }));
export type SentInvitationOut = z.output<typeof SentInvitationOut>;

/** Serializes an invitation. */
export const toInvitation = (row: InvitationRow): InvitationOut => serialize(InvitationOut, row);

/** The membership that an accepted invitation gave. */
export const AcceptedOut = z
  .object({
    workspace: z.object({ id: z.uuid(), name: z.string() }),
    role: z.enum(roles),
  })
  .meta(
    named("InvitationAccepted", {
      workspace: { id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a06", name: "Example Shop" },
      role: "admin",
    }),
  );
export type AcceptedOut = z.output<typeof AcceptedOut>;
