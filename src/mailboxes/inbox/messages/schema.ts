import * as z from "zod";
import { flag } from "../../../http/flag.ts";
import { named, serialize } from "../../../lib/serialize.ts";
import { Authentication, readAuthentication } from "../../../mail/authentication-results/stored-results.ts";
import { bounds as messageBounds } from "../../../mail/messages/rules.ts";
import { replyText } from "../../../mail/texts/reply-text.ts";
import { plainText } from "../../../mail/texts/text.ts";
import { MAX_SELECTED, type StoredMessage } from "../../mailbox-store/index.ts";
import { Address, ItemOut, itemExample, messageFields, toAddress, toItem } from "../schema.ts";
import type { MessageContent } from "./read.ts";

const folderText = z.string().max(1000).meta({ maxLength: 255 });

/** The folder of a message, in the query of every call on a UID. */
export const folderQuery = { folder: folderText.default("INBOX").describe("The folder of the message.") };

export const ReadQuery = z.object({
  ...folderQuery,
  images: flag(
    "Whether images of other hosts stay in the HTML. Loading them tells the sender that the message was read.",
  ),
});
export const FolderQuery = z.object(folderQuery);
export const DeleteQuery = z.object({ ...folderQuery, expunge: flag("Delete for good instead of moving to Trash.") });
export const SpamFolderQuery = z.object({
  folder: folderText.default("Spam").describe("The folder of the message. Only messages in Spam can be restored."),
});

const Part = z
  .object({
    part_id: z.string(),
    filename: z.string().nullable(),
    content_type: z.string(),
    size: z.int().describe("Bytes of the decoded file."),
    content_id: z.string().nullable(),
    inline: z.boolean(),
  })
  .meta({ ref: "InboxAttachment" });

export const MessageOut = z
  .object({
    ...messageFields,
    cc: z.array(Address),
    bcc: z.array(Address),
    reply_to: z.array(Address),
    in_reply_to: z.string().nullable(),
    references: z.array(z.string()),
    headers: z
      .array(z.object({ name: z.string(), value: z.string() }))
      .describe(
        `Header fields in their order, at most ${messageBounds.listedFields}; \`problem\` says when there are more.`,
      ),
    text: z
      .string()
      .nullable()
      .describe("The inline texts one after the other, HTML between them as text. null: the message has HTML only."),
    reply_text: z
      .string()
      .describe("Of the text, or else of the HTML as text: without quotes, what introduces them, and the signature."),
    html: z
      .string()
      .nullable()
      .describe("Sanitised: no scripts, forms or styles that load anything. Inline texts beside the HTML are in it."),
    attachments: z.array(Part).describe("Controls of text direction in a filename are marked: `a[U+202E]fdp.exe`."),
    authentication: Authentication.nullable().describe(
      "Results of SPF, DKIM and DMARC; null when nothing was checked.",
    ),
    problem: z.string().nullable().describe("Why the message was not parsed completely. The original is complete."),
  })
  .meta(
    named("InboxMessage", {
      ...itemExample,
      cc: [],
      bcc: [],
      reply_to: [],
      in_reply_to: null,
      references: [],
      headers: [{ name: "Subject", value: "Your receipt" }],
      text: "Thank you for your order.",
      reply_text: "Thank you for your order.",
      html: null,
      attachments: [
        { part_id: "2", filename: "a.csv", content_type: "text/csv", size: 3, content_id: null, inline: false },
      ],
      authentication: null,
      problem: null,
    }),
  );

/** Returns why a message is not shown completely, or null. */
export function problemOf({ problem }: StoredMessage, { areHeadersCut }: MessageContent): string | null {
  const cut = areHeadersCut ? `only the first ${messageBounds.listedFields} header fields are listed` : null;
  return problem === null || cut === null ? (problem ?? cut) : `${problem}; ${cut}`;
}

/** Serializes a message with its content. */
export function toMessage(message: StoredMessage, content: MessageContent): z.output<typeof MessageOut> {
  const { headers, text, html } = content;
  return {
    ...toItem(message),
    cc: message.cc.map(toAddress),
    bcc: message.bcc.map(toAddress),
    reply_to: message.replyTo.map(toAddress),
    in_reply_to: message.inReplyTo,
    references: message.references,
    headers,
    text,
    reply_text: replyText(text ?? plainText(html ?? "")),
    html,
    attachments: message.parts
      .filter(({ use }) => use === "attachment" || use === "inline")
      .map((part) => serialize(Part, { ...part, inline: part.use === "inline" })),
    authentication: message.authentication === null ? null : readAuthentication(message.authentication),
    problem: problemOf(message, content),
  };
}

export const FlagsIn = z
  .object({ seen: z.boolean().optional(), flagged: z.boolean().optional(), answered: z.boolean().optional() })
  .meta(named("InboxFlags", { seen: true }));

export const MoveIn = z
  .object({ folder: z.string().max(1000).meta({ maxLength: 255 }).describe("The folder to move to.") })
  .meta(named("InboxMove", { folder: "Archive" }));

const ACTIONS = [
  "seen",
  "unseen",
  "flag",
  "unflag",
  "move",
  "spam",
  "not-spam",
  "delete",
  "expunge",
  "label",
  "unlabel",
] as const;

/** Messages that one request changes. */
export const MAX_CHANGED = 200;

const uid = z.int().min(1).max(4_294_967_295);
const folder = z.string().max(1000).meta({ maxLength: 255 }).default("INBOX");
const change = {
  action: z.enum(ACTIONS),
  to_folder: z.string().max(1000).meta({ maxLength: 255 }).nullish().describe("Required by `move`."),
  label_id: z.string().max(100).nullish().describe("Required by `label` and `unlabel`."),
};

type Change = z.output<z.ZodObject<typeof change>>;

function requireTarget({ action, to_folder, label_id }: Change, context: z.RefinementCtx<Change>): void {
  const need = action === "move" ? "to_folder" : action.endsWith("label") ? "label_id" : null;
  const value = need === "to_folder" ? to_folder : label_id;
  if (need && (value === undefined || value === null))
    context.addIssue({ code: "custom", path: [need], message: `${need} is required by the action ${action}` });
}

export const BatchIn = z
  .object({ folder, uids: z.array(uid).min(1).max(MAX_CHANGED), ...change })
  .superRefine(requireTarget)
  .meta(named("InboxBatch", { folder: "INBOX", uids: [7, 8], action: "move", to_folder: "Archive" }));
export type BatchIn = z.output<typeof BatchIn>;

/** A change of selected messages and of conversations, as the pages of webmail ask for it. */
export const SelectionIn = z
  .object({
    folder,
    ...change,
    uids: z.array(uid).max(MAX_SELECTED).default([]),
    threads: z.array(z.string().max(100)).max(MAX_CHANGED).default([]),
    up_to: uid.nullish().describe("Required by `threads`: messages with a greater UID stay as they are."),
  })
  .superRefine((input, context) => {
    requireTarget(input, context);
    if (input.threads.length > 0 && !input.up_to)
      context.addIssue({
        code: "custom",
        path: ["up_to"],
        message: "up_to is required with conversations; reload the page",
      });
    if (input.uids.length + input.threads.length === 0)
      context.addIssue({ code: "custom", path: ["uids"], message: "Select at least one message" });
  });
export type SelectionIn = z.output<typeof SelectionIn>;

export const BatchOut = z.array(
  z
    .object({ uid: z.int(), status: z.enum(["ok", "not_found"]), new_uid: z.int().optional() })
    .meta(named("InboxBatchResult", { uid: 7, status: "ok", new_uid: 12 })),
);
export type BatchOut = z.output<typeof BatchOut>;

export const LabelsIn = z
  .object({ label_ids: z.array(z.string().max(100)).max(200) })
  .meta(named("InboxMessageLabels", { label_ids: ["019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a75"] }));

export const ThreadOut = z.array(ItemOut);
