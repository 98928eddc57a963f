import type { CallerCtx } from "../../access/caller.ts";
import { parseAddress } from "../../lib/addresses.ts";
import { notFound } from "../../lib/errors.ts";
import { auditStatement } from "../../platform/audit/record.ts";
import type { Ctx, MainStatement } from "../../platform/context.ts";
import { spendStatement } from "../../platform/db/has-room.ts";
import { formsOf } from "../../platform/erased-addresses/forms.ts";
import { topicEvents, wakeForTopicEvents } from "./events.ts";
import { NEW_CHOICES } from "./import-choices.ts";
import { findPersonTopics, personTopicsStatements, toPersonRows } from "./queries.ts";
import type { Chooser, NewChoice } from "./rules.ts";
import { type PersonTopicsIn, type PersonTopicsOut, toPersonTopics } from "./schema.ts";

// The same choice again keeps its time. A topic that was deleted gets none. A step of an automation may be repeated later: what the person
// has chosen since stays, and so does the choice of one who left, unless the step overrules it.
const CHOOSE = `
  INSERT INTO topic_choices (workspace, email, topic, choice, chosen_at, method)
  SELECT t.workspace, ?2, t.n, j.value->>'choice', ?4, ?5 FROM json_each(?3) j
   CROSS JOIN topics t ON t.workspace = ?1 AND t.id = j.value->>'id'
   WHERE j.value->>'choice' IS NOT NULL
  ON CONFLICT DO UPDATE SET choice = excluded.choice, chosen_at = excluded.chosen_at, method = excluded.method
   WHERE topic_choices.choice <> excluded.choice AND (?5 <> 'automation' OR (
     topic_choices.chosen_at <= ?4 AND (?6 OR topic_choices.method = 'automation' OR excluded.choice = 'unsubscribed')))`;

const FORGET = `
  DELETE FROM topic_choices WHERE workspace = ?1 AND email IN (SELECT value FROM json_each(?2)) AND topic IN (
    SELECT t.n FROM json_each(?3) j CROSS JOIN topics t ON t.workspace = ?1 AND t.id = j.value->>'id'
     WHERE j.value->>'choice' IS NULL)`;

/**
 * Returns the statement that records choices of a person. It changes one row for each that is new. Null choices change nothing. `at` in ms
 * since 1970. `overrules`: a step of an automation subscribes also a person who has left.
 */
export function chooseStatement(
  ctx: Ctx,
  { workspace, email, method }: Chooser,
  chosen: readonly NewChoice[],
  at = ctx.now(),
  overrules = false,
): MainStatement {
  return ctx.db.prepare(CHOOSE).bind(workspace, email, JSON.stringify(chosen), at, method, overrules ? 1 : 0);
}

/** Returns the statement that removes the choices of a person whose new choice is null. */
export function forgetStatement(
  ctx: Ctx,
  { workspace, email }: Omit<Chooser, "method">,
  chosen: readonly NewChoice[],
): MainStatement {
  return ctx.db.prepare(FORGET).bind(workspace, JSON.stringify(formsOf(email)), JSON.stringify(chosen));
}

/** Returns the canonical form of the address in a path. Throws 404 for what is no address. */
export function personKey(email: string): string {
  const key = parseAddress(email)?.key;
  if (key === undefined) throw notFound("Person");
  return key;
}

/** Returns the topics of the workspace as they are for a person. Throws 404 for what is no address. */
export async function getPersonTopics(ctx: CallerCtx, email: string): Promise<PersonTopicsOut> {
  const key = personKey(email);
  return toPersonTopics(key, await findPersonTopics(ctx, ctx.workspace.number, key));
}

/** Sets choices of a person, and returns all topics as they are then. Throws 404 for a malformed address or an unknown topic. */
export async function choosePersonTopics(
  ctx: CallerCtx,
  email: string,
  { topics }: PersonTopicsIn,
): Promise<PersonTopicsOut> {
  const key = personKey(email);
  const { number } = ctx.workspace;
  const before = await findPersonTopics(ctx, number, key);
  const current = new Map(before.topics.map(({ id, choice }) => [id, choice]));
  if (topics.some(({ id }) => !current.has(id))) throw notFound("Topic");
  const changed = topics.filter(({ id, choice }) => current.get(id) !== choice);
  if (changed.length === 0) return toPersonTopics(key, before);
  const person = { workspace: number, email: key };
  const events = topicEvents(ctx, person, changed);
  const choices = changed.map((choice) => ({ ...choice, email: key }));
  const results = await ctx.db.batch([
    events.statement,
    spendStatement(ctx, "topic_choices", number, { count: NEW_CHOICES, json: JSON.stringify(choices) }),
    chooseStatement(ctx, { ...person, method: "api" }, changed),
    forgetStatement(ctx, person, changed),
    auditStatement(ctx, { action: "person.topics_chosen", target: key, detail: { topics: changed } }),
    ...personTopicsStatements(ctx, number, key),
  ]);
  await wakeForTopicEvents(ctx, events, results[0]);
  return toPersonTopics(key, toPersonRows(results.slice(5)));
}
