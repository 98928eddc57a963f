import * as z from "zod";
import { systemFlags } from "../../mail/imap/flags.ts";
import type { SearchKey } from "../../mail/imap/search-keys.ts";

/** Messages that one call changes, and that one call reads. */
const MAX_CHANGED = 1_000;
const MAX_READ = 200;

const Folder = z.string().min(1).max(1_000);
const Uid = z.int().min(1).max(0xff_ff_ff_ff);
const Uids = (most: number) => z.array(Uid).max(most);
const Sequence = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

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

const Text = z.string().max(65_536);
const Day = z.int();

/** A condition of SEARCH (src/mail/imap/search-keys.ts). The gateway bounds its depth. */
const KeyIn: z.ZodType<SearchKey> = z.lazy(() =>
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

/** A call of a gateway for a mail program. One call is one call of the mailbox object. */
export const CallIn = z.discriminatedUnion("name", [
  z.object({ name: z.literal("folders") }),
  z.object({ name: z.literal("quota") }),
  z.object({ name: z.literal("create-folder"), folder: Folder }),
  z.object({ name: z.literal("rename-folder"), folder: Folder, new_name: Folder }),
  z.object({ name: z.literal("delete-folder"), folder: Folder }),
  z.object({ name: z.literal("subscribe"), folder: Folder, is_subscribed: z.boolean() }),
  z.object({ name: z.literal("select"), folder: Folder }),
  z.object({ name: z.literal("changes"), folder: Folder, since: Sequence }),
  z.object({
    name: z.literal("fetch"),
    folder: Folder,
    uids: Uids(MAX_READ),
    header: z
      .object({
        text: z.enum(["header", "fields", "other-fields"]),
        fields: z.array(z.string().max(1_000)).max(1_000),
      })
      .nullable(),
    structure: z.boolean(),
  }),
  z.object({
    name: z.literal("store"),
    folder: Folder,
    uids: Uids(MAX_CHANGED),
    mode: z.enum(["replace", "add", "remove"]),
    flags: FlagsIn,
    unchanged_since: Sequence.nullable(),
  }),
  z.object({ name: z.literal("copy"), folder: Folder, uids: Uids(MAX_CHANGED), to: Folder }),
  z.object({ name: z.literal("move"), folder: Folder, uids: Uids(MAX_CHANGED), to: Folder }),
  z.object({ name: z.literal("search"), folder: Folder, key: KeyIn, after: Sequence }),
  z.object({ name: z.literal("expunge"), folder: Folder, uids: Uids(10_000).nullable() }),
]);
export type Call = z.output<typeof CallIn>;
