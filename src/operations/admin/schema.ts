import * as z from "zod";
import { named, serialize, timestamp } from "../../lib/serialize.ts";
import { isoOrNull } from "../../lib/time.ts";
import type { ReceiverRow } from "../../sending/receivers/index.ts";
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
  .meta(
    named("User", {
      id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a05",
      email: "owner@example.com",
      name: "Ada",
      is_platform_admin: false,
      restricted_at: null,
      created_at: "2026-11-21T14:00:00.000Z",
    }),
  );
export type UserOut = z.output<typeof UserOut>;

export const FlushOut = z
  .object({ released: z.int().describe("Emails that are due now. Their successes release the others.") })
  .meta(named("OutboxFlush", { released: 500 }));

/** A mail system that gets mail, as an egress of our own has told it. */
export const ReceiverOut = z
  .object({
    receiver: z.string().describe("Such as `google`, or the parent of the MX hosts of one without a name."),
    accepted_today: z.int().describe("Emails that it has accepted since 00:00 UTC."),
    paused_until: timestamp.nullable().describe("Until when it takes no mail from an egress."),
    reason: z.string().nullable().describe("The reply that caused the pause."),
    egress: z
      .string()
      .nullable()
      .describe("From which egress it takes none: `main`, `bulk` or a name of NAMED_EGRESS_URLS."),
  })
  .meta(
    named("Receiver", {
      receiver: "outlook",
      accepted_today: 1200,
      paused_until: "2026-11-21T14:05:00.000Z",
      reason: "451 4.7.650 The mail server has been temporarily rate limited due to IP reputation",
      egress: "main",
    }),
  );

/** Serializes a receiver. */
export const toReceiver = (row: ReceiverRow): z.output<typeof ReceiverOut> =>
  serialize(ReceiverOut, { ...row, paused_until: isoOrNull(row.until) });

/** Serializes an account. */
export const toUser = (row: UserRow): UserOut => serialize(UserOut, row);
