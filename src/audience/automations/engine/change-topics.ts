import type { MailCtx } from "../../../platform/context.ts";
import { type Choice, chooseStatement } from "../../../sending/topics/index.ts";
import { causeOf, done, nothingPrepared, type Outcome, type PendingOf, type Prepared } from "./outcome.ts";
import { topicEventStatement } from "./topic-events.ts";

type TopicEffect = PendingOf<"change_topic">;

/** The choice of a person about the topic of an effect, and the time of the choice; null: none. */
interface FoundChoice {
  /** That of the effect. */
  position: number;
  name: string;
  default_choice: Choice;
  choice: Choice | null;
  chosen_at: number | null;
}

const FIND_CHOICES = `
  SELECT j.key AS position, t.name, t.default_choice, x.choice, x.chosen_at FROM json_each(?1) j
   CROSS JOIN topics t ON t.workspace = j.value->>'workspace' AND t.id = j.value->>'topic'
    LEFT JOIN topic_choices x ON x.workspace = t.workspace AND x.email = j.value->>'email' AND x.topic = t.n`;

/**
 * Records choices of people about topics, in the main database: safe to repeat. Prepares events of those that changed something for the
 * transaction that moves the runs. One D1 call.
 */
export async function applyTopics(ctx: MailCtx, pending: readonly TopicEffect[]): Promise<Prepared> {
  if (pending.length === 0) return nothingPrepared();
  const named = pending.map(({ due: { workspace, key }, effect: { step } }) => ({
    workspace,
    email: key,
    topic: step.topic_id,
  }));
  const find = ctx.db.prepare(FIND_CHOICES).bind(JSON.stringify(named));
  const results = await ctx.db.batch<FoundChoice>([find, ...pending.map((one) => chosenBy(ctx, one)), find]);
  const [before, after] = [results.at(0), results.at(-1)].map(
    (found) => new Map(found?.results.map((row) => [row.position, row])),
  );
  const changes = pending.map((one, index) => changeOf(one, before?.get(index), after?.get(index)));
  const outcomes = pending.map(({ due }, index): [number, Outcome] => [due.n, done(changes[index]?.text ?? "")]);
  const events = pending
    .filter((_, index) => changes[index]?.isChange)
    .map((one) => ({
      workspace: one.due.workspace,
      key: one.due.key,
      name: `topic.${wantedBy(one)}`,
      data: { topic_id: one.effect.step.topic_id, ...causeOf(one) },
    }));
  const statements = events.length > 0 ? [topicEventStatement(ctx, events)] : [];
  return { statements, outcomes: new Map(outcomes), wake: [] };
}

const wantedBy = ({ effect: { step } }: TopicEffect): Choice => (step.subscribed ? "subscribed" : "unsubscribed");

function chosenBy(ctx: MailCtx, one: TopicEffect) {
  const { due, effect } = one;
  const person = { workspace: due.workspace, email: due.key, method: "automation" as const };
  const chosen = [{ id: effect.step.topic_id, choice: wantedBy(one) }];
  return chooseStatement(ctx, person, chosen, effect.at, effect.step.even_if_left);
}

/**
 * Returns what an effect did, in words, and whether it changed what counts for the person. A try that is repeated after a crash finds its
 * own choice, by its time, and says the same. Pure.
 */
function changeOf(one: TopicEffect, before: FoundChoice | undefined, after: FoundChoice | undefined) {
  const wanted = wantedBy(one);
  if (!before || !after) return { isChange: false, text: "The topic does not exist any more." };
  if (after.choice !== wanted)
    return { isChange: false, text: `Has chosen otherwise about ${after.name}, which stays.` };
  const isOwn = after.chosen_at === one.effect.at;
  const isChange = isOwn && !(before.choice === null && before.default_choice === wanted);
  const verb = wanted === "subscribed" ? "Subscribed to" : "Unsubscribed from";
  return { isChange, text: isChange ? `${verb} ${after.name}.` : `Was ${wanted} already: ${after.name}.` };
}
