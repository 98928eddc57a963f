import type { CallerCtx } from "../../../access/caller.ts";
import { conflict, invalidField, notFound } from "../../../lib/errors.ts";
import { mailboxBudgets } from "../../../platform/budgets/objects.ts";
import type { Author, ThreadChange, ThreadEntry, ThreadState } from "../../mailbox-store/index.ts";
import { authorOf, keepResponse, type OpenMailbox, type ReadableMailbox } from "../open.ts";

/** The state of a conversation, and the acts of people with it. */
export interface ThreadCare {
  /** A person who may no longer open the mailbox is nobody. */
  state: ThreadState;
  entries: ThreadEntry[];
}

/** Returns what people have done with a conversation. */
export async function readCare({ store, people }: ReadableMailbox, threadId: string): Promise<ThreadCare> {
  const { state, entries } = await store.threadState(threadId.toLowerCase());
  return { state: currentState(state, people), entries };
}

/** Returns a state without a person who is no longer assigned to the mailbox. */
export const currentState = (state: ThreadState, people: readonly Author[]): ThreadState =>
  people.some(({ id }) => id === state.assignee?.id) ? state : { ...state, assignee: null };

/** Changes a conversation: assigns it to a person of the mailbox or nobody, closes it or opens it again. Throws 404, and 422 for another person. */
export async function changeThread(
  ctx: CallerCtx,
  mailbox: OpenMailbox,
  threadId: string,
  { assignee_id: assigneeId, closed }: { assignee_id?: string | null | undefined; closed?: boolean | undefined },
): Promise<ThreadCare> {
  const change = (what: ThreadChange) => applyChange(ctx, mailbox, threadId, what);
  if (assigneeId !== undefined) await change({ assignee: personOf(mailbox, assigneeId) });
  if (closed !== undefined) await change({ closed });
  return readCare(mailbox, threadId);
}

function personOf({ people }: OpenMailbox, id: string | null): Author | null {
  if (id === null) return null;
  const person = people.find((one) => one.id === id.toLowerCase());
  if (!person) throw invalidField("assignee_id", "assignee_id must be a person who is assigned to this mailbox");
  return person;
}

/** Adds a note to a conversation, which no mail ever has. Throws 404, and 409 at the limits. */
export async function addNote(
  ctx: CallerCtx,
  mailbox: OpenMailbox,
  threadId: string,
  text: string,
): Promise<ThreadEntry> {
  const { entries } = await applyChange(ctx, mailbox, threadId, { note: text });
  const note = entries.findLast(({ kind }) => kind === "note");
  if (!note) throw notFound("Note");
  return keepResponse(ctx, note);
}

/** Deletes a note. Throws 404. */
export async function deleteNote({ store }: OpenMailbox, threadId: string, noteId: string): Promise<void> {
  if (!(await store.deleteNote(threadId.toLowerCase(), noteId.toLowerCase()))) throw notFound("Note");
}

async function applyChange(ctx: CallerCtx, { store }: OpenMailbox, threadId: string, what: ThreadChange) {
  const result = await store.changeThread(threadId.toLowerCase(), authorOf(ctx), what);
  if ("state" in result) return result;
  if (result.refused === "unknown") throw notFound("Thread");
  throw conflict(`A mailbox has at most ${mailboxBudgets.thread_entries.rows} notes, a conversation 200 entries`);
}
