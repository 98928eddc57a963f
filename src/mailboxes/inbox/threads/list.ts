import type { CallerCtx } from "../../../access/caller.ts";
import { requireFound } from "../../../lib/errors.ts";
import type { ConversationItem, ListPlace, ShownThreads } from "../../mailbox-store/index.ts";
import { authorOf, type OpenMailbox, type ReadableMailbox } from "../open.ts";
import { currentState } from "./change.ts";

export const threadLists = ["mine", "unassigned", "closed"] as const;
export type ThreadList = (typeof threadLists)[number];

/** Returns which conversations a list of a caller shows. */
export function shownIn(ctx: CallerCtx, { people }: Pick<OpenMailbox, "people">, list: ThreadList): ShownThreads {
  if (list === "mine") return { kind: list, person: authorOf(ctx).id };
  return list === "unassigned" ? { kind: list, people: people.map(({ id }) => id) } : { kind: list };
}

/** Returns a page of the conversations of a folder, newest first: all, or those of a list. Throws 404 for an unknown folder. */
export async function listThreads(
  ctx: CallerCtx,
  mailbox: ReadableMailbox,
  {
    folder,
    list,
    limit,
    before,
  }: { folder: string; list?: ThreadList | undefined; limit: number; before?: string | undefined },
): Promise<{ items: ConversationItem[]; next: string | null }> {
  const show = list && shownIn(ctx, mailbox, list);
  const range = { limit, before: readPlace(before), show };
  const { items, next } = requireFound(await mailbox.store.listConversations(folder, range), "Folder");
  const current = items.map((item) => ({ ...item, state: currentState(item.state, mailbox.people) }));
  return { items: current, next: next && writePlace(next) };
}

/** Returns a place of a list as a request for the next page has it: time and UID, of a message that may be gone by then. */
export const writePlace = ({ receivedAt, uid }: ListPlace): string => `${receivedAt}-${uid}`;

/** Returns the place that a request names. Undefined: the beginning, also for what no list has written. */
export function readPlace(text = ""): ListPlace | undefined {
  const [, receivedAt, uid] = /^(\d{1,15})-(\d{1,10})$/.exec(text) ?? [];
  return uid === undefined ? undefined : { receivedAt: Number(receivedAt), uid: Number(uid) };
}
