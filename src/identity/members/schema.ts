import * as z from "zod";
import { named, serialize, timestamp } from "../../lib/serialize.ts";
import type { MemberRow } from "./queries.ts";
import { roles } from "./rules.ts";

/** A member of a workspace. */
export const MemberOut = z
  .object({
    user_id: z.uuid(),
    email: z.string(),
    name: z.string().nullable(),
    role: z.enum(roles),
    created_at: timestamp.describe("When the user joined."),
  })
  .meta(
    named("Member", {
      user_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a05",
      email: "owner@example.com",
      name: "Ada",
      role: "owner",
      created_at: "2026-11-21T14:00:00.000Z",
    }),
  );
export type MemberOut = z.output<typeof MemberOut>;

export const MemberPatch = z.object({ role: z.enum(roles) }).meta(named("MemberUpdate", { role: "owner" }));
export type MemberPatch = z.output<typeof MemberPatch>;

/** Serializes a member. */
export const toMember = (row: MemberRow): MemberOut => serialize(MemberOut, row);
