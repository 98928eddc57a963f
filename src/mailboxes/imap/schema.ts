import * as z from "zod";
import { systemFlags } from "../../mail/imap/flags.ts";
import type { SearchKey } from "../../mail/imap/search-keys.ts";

export const Folder = z.string().min(1).max(1_000);
export const Uid = z.int().min(1).max(0xff_ff_ff_ff);
/** A place in a message, or a count of bytes. */
export const Place = z.int().min(0).max(1_000_000_000);
export const Sequence = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

/** Flags of a command. */
export const FlagsIn = z.object({
  flags: z.array(z.enum(systemFlags)).max(systemFlags.length),
  keywords: z
    .array(
      z
        .string()
        .regex(/^[^\s(){%*"\\\]\p{Cc}]+$/u)
        .max(64),
    )
    .max(100),
});

/** Fields of a header that FETCH needs (src/mail/imap/header-fields.ts). */
export const HeaderIn = z.object({
  text: z.enum(["header", "fields", "other-fields"]),
  fields: z.array(z.string().max(1_000)).max(1_000),
});

const Text = z.string().max(65_536);
const Day = z.int();

/** A condition of SEARCH (src/mail/imap/search-keys.ts). The gateway bounds its depth. */
export const KeyIn: z.ZodType<SearchKey> = z.lazy(() =>
  z.discriminatedUnion("key", [
    z.object({ key: z.enum(["all", "none"]) }),
    z.object({ key: z.literal("flag"), flag: z.enum(systemFlags), isSet: z.boolean() }),
    z.object({ key: z.literal("keyword"), keyword: z.string().max(64), isSet: z.boolean() }),
    z.object({ key: z.literal("header"), name: z.string().max(1_000), value: Text }),
    z.object({ key: z.enum(["body", "text"]), value: Text }),
    z.object({ key: z.enum(["arrived", "sent"]), when: z.enum(["before", "on", "since"]), date: Day }),
    z.object({ key: z.enum(["larger", "smaller"]), bytes: Sequence }),
    z.object({ key: z.literal("uids"), set: z.array(z.tuple([Uid, Uid])).max(20_000) }),
    z.object({ key: z.literal("modseq"), least: Sequence }),
    z.object({ key: z.enum(["and", "or"]), keys: z.array(KeyIn).max(200) }),
    z.object({ key: z.literal("not"), of: KeyIn }),
  ]),
);
