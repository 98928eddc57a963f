import * as z from "zod";
import { named, timestamp } from "../../../lib/serialize.ts";
import { isoOrNull, parseIso } from "../../../lib/time.ts";
import type { AutoReplyRow } from "../../auto-replies/index.ts";

const hasNoControls = (text: string) => !/[\p{Cc}\u2028\u2029]/u.test(text);

const time = (description: string) =>
  z
    .string()
    .max(64)
    .transform((text, context) => {
      const at = parseIso(text);
      if (at !== null) return at;
      context.addIssue({ code: "custom", message: "must be an ISO 8601 time with an offset", input: text });
      return z.NEVER;
    })
    .nullish()
    .meta({ type: ["string", "null"], format: "date-time", description });

/** Characters of the text of a reply. */
const MAX_REPLY_CHARACTERS = 20_000;

export const AutoReplyIn = z
  .object({
    is_active: z.boolean(),
    starts_at: time("Emails that arrive earlier are not answered."),
    ends_at: time("Emails that arrive at this time or later are not answered."),
    subject: z
      .string()
      .max(500)
      .refine(hasNoControls, "subject must not contain control characters")
      .nullish()
      .describe("`Auto:` and the subject of the email when absent."),
    text: z.string().min(1).max(MAX_REPLY_CHARACTERS),
  })
  .refine(({ starts_at, ends_at }) => !starts_at || !ends_at || starts_at < ends_at, {
    path: ["ends_at"],
    message: "ends_at must be after starts_at",
  })
  .meta({
    ref: "AutoReplyUpdate",
    example: { is_active: true, ends_at: "2026-12-01T08:00:00Z", subject: "Away", text: "I am back in December." },
  });
export type AutoReplyIn = z.output<typeof AutoReplyIn>;

export const AutoReplyOut = z
  .object({
    is_active: z.boolean(),
    starts_at: timestamp.nullable(),
    ends_at: timestamp.nullable(),
    subject: z.string().nullable(),
    text: z.string(),
  })
  .meta(
    named("AutoReply", {
      is_active: true,
      starts_at: null,
      ends_at: "2026-12-01T08:00:00.000Z",
      subject: "Away",
      text: "I am back in December.",
    }),
  );

/** Serializes the automatic reply of a mailbox; null: it was never set. */
export function toAutoReply(row: AutoReplyRow | null): z.output<typeof AutoReplyOut> {
  return {
    is_active: row?.is_active === 1,
    starts_at: isoOrNull(row?.starts_at ?? null),
    ends_at: isoOrNull(row?.ends_at ?? null),
    subject: row?.subject ?? null,
    text: row?.text ?? "",
  };
}
