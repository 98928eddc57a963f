import type { MailCtx } from "../../../platform/context.ts";
import { chooseStatement } from "../../../sending/topics/index.ts";
import { causeOf, done, nothingPrepared, type Outcome, type PendingOf, type Prepared } from "./outcome.ts";
import { topicEventStatement } from "./topic-events.ts";

type TopicEffect = PendingOf<"change_topic">;

const FIND_TOPICS = `
  SELECT t.id, t.name FROM json_each(?1) j CROSS JOIN topics t ON t.workspace = j.value->>'workspace' AND t.id = j.value->>'topic'`;

/**
 * Records choices of people about topics, in the main database: safe to repeat. Prepares their events for the transaction that moves the
 * runs. One D1 call.
 */
export async function applyTopics(ctx: MailCtx, pending: readonly TopicEffect[]): Promise<Prepared> {
  if (pending.length === 0) return nothingPrepared();
  const named = pending.map(({ due, effect }) => ({ workspace: due.workspace, topic: effect.step.topic_id }));
  const [found] = await ctx.db.batch<{ id: string; name: string }>([
    ctx.db.prepare(FIND_TOPICS).bind(JSON.stringify(named)),
    ...pending.map(({ due, effect: { step, at } }) => {
      const choice = step.subscribed ? ("subscribed" as const) : ("unsubscribed" as const);
      const person = { workspace: due.workspace, email: due.key, method: "automation" as const };
      return chooseStatement(ctx, person, [{ id: step.topic_id, choice }], at);
    }),
  ]);
  const names = new Map(found?.results.map(({ id, name }) => [id, name]));
  const outcomes = pending.map(({ due, effect: { step } }): [number, Outcome] => {
    const name = names.get(step.topic_id);
    if (name === undefined) return [due.n, done("The topic does not exist any more.")];
    return [due.n, done(`${step.subscribed ? "Subscribed to" : "Unsubscribed from"} ${name}.`)];
  });
  const changed = pending.filter(({ effect }) => names.has(effect.step.topic_id));
  const events = changed.map((one) => ({
    workspace: one.due.workspace,
    key: one.due.key,
    name: one.effect.step.subscribed ? "topic.subscribed" : "topic.unsubscribed",
    data: { topic_id: one.effect.step.topic_id, ...causeOf(one) },
  }));
  const statements = events.length > 0 ? [topicEventStatement(ctx, events)] : [];
  return { statements, outcomes: new Map(outcomes), wake: [] };
}
