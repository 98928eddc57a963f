import { utf8 } from "../../lib/bytes.ts";
import { uuidFromHash } from "../../lib/ids.ts";
import type { Ctx } from "../../platform/context.ts";
import { applyFacts } from "../emails/index.ts";
import { copyToContacts, endUnsubscribeStatements, suppressStatement } from "../suppressions/index.ts";
import {
  allTopicsEvents,
  type ChoiceMethod,
  chooseStatement,
  type NewChoice,
  topicEvents,
  wakeForTopicEvents,
} from "../topics/index.ts";
import type { FoundRecipient } from "./find-recipient.ts";
import { type Preferences, readPreferences, type ShownTopic } from "./preferences.ts";

type LinkMethod = Exclude<ChoiceMethod, "api" | "automation">;

/**
 * Unsubscribes a recipient: from the topic of the email, or from all bulk and broadcast mail when it has none any more. Records one event
 * however often it is called (RFC 8058, docs/contract/suppressions.md#unsubscribe). `method` is recorded in the event.
 */
export async function unsubscribe(
  ctx: Ctx,
  recipient: FoundRecipient,
  method: "one-click" | "mailto",
): Promise<{ topic: ShownTopic | null }> {
  // Mail without a topic needs no look at the topics.
  const topic = (recipient.state.topic ?? null) === null ? null : (await readPreferences(ctx, recipient)).topic;
  if (topic === null) await leaveAll(ctx, recipient, method);
  else await leaveTopics(ctx, recipient, method, [topic]);
  return { topic };
}

/** Ends all bulk and broadcast mail to a recipient. */
export async function leaveAll(ctx: Ctx, recipient: FoundRecipient, method: LinkMethod): Promise<void> {
  const { state, key } = recipient;
  // The address may have been removed from the list since the event was recorded.
  const person = { workspace: state.workspace, email: key };
  const events = allTopicsEvents(ctx, person, "unsubscribed");
  const suppress = suppressStatement(ctx, [{ ...person, reason: "unsubscribe", emailId: null }]);
  const [recorded] = await ctx.db.batch([events.statement, suppress]);
  await wakeForTopicEvents(ctx, events, recorded);
  await copyToContacts(recipient.ctx, state.workspace, [key]);
  await record(recipient, method, [null]);
}

/** Ends the mail of topics to a recipient. */
export async function leaveTopics(
  ctx: Ctx,
  recipient: FoundRecipient,
  method: LinkMethod,
  topics: readonly ShownTopic[],
): Promise<void> {
  const chooser = { workspace: recipient.state.workspace, email: recipient.key, method };
  const chosen = topics.map(({ id }): NewChoice => ({ id, choice: "unsubscribed" }));
  const events = topicEvents(ctx, chooser, chosen);
  const [recorded] = await ctx.db.batch([events.statement, chooseStatement(ctx, chooser, chosen)]);
  await wakeForTopicEvents(ctx, events, recorded);
  await record(recipient, method, topics);
}

/** The boxes of the page when it was submitted, by the ids of topics. */
export interface Submitted {
  shown: ReadonlySet<string>;
  checked: ReadonlySet<string>;
}

/**
 * Saves the topics that a recipient chose on the page. Only topics that it showed change, so one that was made meanwhile stays as it is.
 * A checked public topic ends an unsubscribe from all, since no topic could mail the person otherwise.
 */
export async function savePreferences(
  ctx: Ctx,
  recipient: FoundRecipient,
  { shown, checked }: Submitted,
): Promise<void> {
  const { isUnsubscribed, topics }: Preferences = await readPreferences(ctx, recipient);
  const offered = topics.filter(({ id, isPublic, state }) => shown.has(id) && (isPublic || state === "subscribed"));
  const changed = offered.filter(({ id, state }) => checked.has(id) !== (state === "subscribed"));
  const left = changed.filter(({ state }) => state === "subscribed");
  const rejoins = isUnsubscribed && offered.some(({ id, isPublic }) => isPublic && checked.has(id));
  const person = { workspace: recipient.state.workspace, email: recipient.key };
  const chosen = changed.map(({ id, state }): NewChoice => {
    return { id, choice: state === "subscribed" ? "unsubscribed" : "subscribed" };
  });
  const events = [topicEvents(ctx, person, chosen), ...(rejoins ? [allTopicsEvents(ctx, person, "subscribed")] : [])];
  const results = await ctx.db.batch([
    ...events.map(({ statement }) => statement),
    chooseStatement(ctx, { ...person, method: "page" }, chosen),
    ...(rejoins ? endUnsubscribeStatements(ctx, person) : []),
  ]);
  for (const [index, one] of events.entries()) await wakeForTopicEvents(ctx, one, results[index]);
  if (rejoins) await copyToContacts(recipient.ctx, person.workspace, [person.email]);
  if (left.length > 0) await record(recipient, "page", left);
}

/** Writes the events of an unsubscribe: one for each topic, or for all mail (null). */
async function record(
  { ctx, state, mail, key }: FoundRecipient,
  method: LinkMethod,
  topics: readonly (ShownTopic | null)[],
): Promise<void> {
  const facts = await Promise.all(
    topics.map(async (topic) => ({
      id: await uuidFromHash(
        utf8(`unsubscribe ${mail.emailId} ${mail.recipient}${topic === null ? "" : ` ${topic.id}`}`),
      ),
      recipient: key,
      on: "unsubscribe" as const,
      at: ctx.now(),
      metadata: { method, ...(topic === null ? {} : { topic_id: topic.id, topic_name: topic.name }) },
    })),
  );
  await applyFacts(ctx, [{ state, facts, attempt: 0 }]);
}
