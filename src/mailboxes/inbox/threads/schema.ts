import * as z from "zod";
import { named, timestamp } from "../../../lib/serialize.ts";
import { iso, isoOrNull } from "../../../lib/time.ts";
import type { ConversationItem, ThreadEntry } from "../../mailbox-store/index.ts";
import { Address, toAddress } from "../schema.ts";
import type { ThreadCare } from "./change.ts";

const Person = z.object({ id: z.uuid(), name: z.string() });
const person = { id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a05", name: "Ada" };
const NOTE_CHARACTERS = 5_000;

export const ThreadPatch = z
  .object({
    assignee_id: z.uuid().nullish().describe("A person who is assigned to the mailbox. Null: nobody."),
    closed: z.boolean().optional().describe("A new mail opens a closed conversation again."),
  })
  .meta({ ref: "InboxThreadUpdate", example: { closed: true } });

export const NoteIn = z
  .object({ text: z.string().min(1).max(NOTE_CHARACTERS) })
  .meta({ ref: "InboxNoteCreate", example: { text: "She called: the parcel has arrived." } });

const entryExample = {
  id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a77",
  kind: "close" as const,
  author: person,
  text: "",
  created_at: "2026-11-21T14:00:00.000Z",
};

export const EntryOut = z
  .object({
    id: z.uuid(),
    kind: z.enum(["note", "assign", "close", "reopen", "answer", "move"]),
    author: Person.nullable().describe("Null: the mail that opened the conversation again."),
    text: z
      .string()
      .describe(
        "Of a note; of an assignment the name of the person, of an answer its Message-ID, of a move the folder.",
      ),
    created_at: timestamp,
  })
  .meta(named("InboxThreadEntry", { ...entryExample, kind: "note", text: "She called: the parcel has arrived." }));

export const toEntry = ({ at, ...entry }: ThreadEntry) => ({ ...entry, created_at: iso(at) });

const stateExample = { assignee: null, closed_at: null };
const state = { assignee: Person.nullable(), closed_at: timestamp.nullable() };

export const CareOut = z
  .object({ ...state, entries: z.array(EntryOut).describe("At most 200, oldest first.") })
  .meta(named("InboxThreadState", { assignee: null, closed_at: entryExample.created_at, entries: [entryExample] }));

export const toCare = ({ state: { assignee, closedAt }, entries }: ThreadCare) => ({
  assignee,
  closed_at: isoOrNull(closedAt),
  entries: entries.map(toEntry),
});

const itemExample = {
  thread_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a74",
  uid: 7,
  folder: "INBOX",
  subject: "Where is my order?",
  people: [{ email: "grace@example.org", name: "Grace" }],
  message_count: 3,
  seen: false,
  preview: "It has not arrived.",
  ...stateExample,
};

const ThreadItemOut = z
  .object({
    thread_id: z.string(),
    uid: z.int().describe("Of its newest message in the folder."),
    folder: z.string(),
    subject: z.string(),
    people: z.array(Address),
    message_count: z.int(),
    seen: z.boolean(),
    preview: z.string(),
    ...state,
  })
  .meta(named("InboxThreadItem", itemExample));

export const ThreadPageOut = z
  .object({ items: z.array(ThreadItemOut), next: z.string().nullable().describe("The `before` of the next page.") })
  .meta(named("InboxThreadPage", { items: [itemExample], next: null }));

export const toThreadItem = ({ state: { assignee, closedAt }, people, count, ...item }: ConversationItem) => ({
  thread_id: item.threadId,
  uid: item.uid,
  folder: item.folder,
  subject: item.subject,
  people: people.map(toAddress),
  message_count: count,
  seen: item.seen,
  preview: item.preview,
  assignee,
  closed_at: isoOrNull(closedAt),
});
