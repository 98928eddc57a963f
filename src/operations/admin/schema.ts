import * as z from "zod";
import { iso, isoOrNull } from "../../lib/time.ts";
import { timestamp } from "../../lib/timestamp.ts";
import type { UserRow } from "./queries.ts";

/** An account, as administrators of the platform see it. */
export const UserOut = z
  .object({
    id: z.uuid(),
    email: z.string(),
    name: z.string().nullable(),
    is_platform_admin: z.boolean(),
    restricted_at: timestamp.nullable().describe("Set: the account cannot send."),
    created_at: timestamp,
  })
  .meta({
    ref: "User",
    examples: [
      {
        id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a05",
        email: "owner@example.com",
        name: "Ada",
        is_platform_admin: false,
        restricted_at: null,
        created_at: "2026-11-21T14:00:00.000Z",
      },
    ],
  });
export type UserOut = z.output<typeof UserOut>;

export const FlushOut = z
  .object({ released: z.int().describe("Emails that are due now. Their successes release the others.") })
  .meta({ ref: "OutboxFlush", examples: [{ released: 500 }] });

/** Serializes an account. */
export function toUser(row: UserRow): UserOut {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    is_platform_admin: row.isPlatformAdmin,
    restricted_at: isoOrNull(row.restrictedAt),
    created_at: iso(row.createdAt),
  };
}
