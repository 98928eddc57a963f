import type { Ctx } from "../../platform/context.ts";
import { type Choice, choiceOf, findPersonTopics, type PersonTopicRow } from "../topics/index.ts";
import type { FoundRecipient } from "./find-recipient.ts";

/** A topic that the page behind the link shows. */
export interface ShownTopic {
  id: string;
  name: string;
  description: string | null;
  state: Choice;
  /** False for an internal topic: it can only be left. */
  isPublic: boolean;
}

/** The mail of a workspace as its recipient sees it on the page behind an unsubscribe link. */
export interface Preferences {
  /** Unsubscribed from all bulk mail. */
  isUnsubscribed: boolean;
  /** The topic of the email; null: it has none, or its topic was deleted. */
  topic: ShownTopic | null;
  /** Every public topic, and that of the email. */
  topics: ShownTopic[];
}

/** Returns what a recipient may change by the link of an email. An internal topic is shown by its own mail only. */
export async function readPreferences(
  ctx: Ctx,
  { state, key }: Pick<FoundRecipient, "state" | "key">,
): Promise<Preferences> {
  const { isUnsubscribed, topics } = await findPersonTopics(ctx, state.workspace, key);
  const shown = topics.filter(({ n, isPublic }) => isPublic === 1 || n === state.topic);
  const own = shown.find(({ n }) => n === state.topic);
  return { isUnsubscribed, topic: own ? toShown(own) : null, topics: shown.map(toShown) };
}

const toShown = (row: PersonTopicRow): ShownTopic => ({
  id: row.id,
  name: row.name,
  description: row.description,
  state: choiceOf(row, row.choice),
  isPublic: row.isPublic === 1,
});
