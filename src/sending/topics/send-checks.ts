import type { Ctx, MainStatement } from "../../platform/context.ts";
import { jsonChunks } from "../../platform/db/json-chunks.ts";
import { type AddressForms, FIRST_ADDRESS, formsOf } from "../../platform/erased-addresses/forms.ts";
import { type Choice, choiceOf } from "./rules.ts";

/**
 * The reads that decide whether mail of a topic goes to a person: when it is accepted, when emails are made from contacts, and at
 * dispatch (docs/contract/topics.md#mail-of-a-topic). Each belongs into a D1 batch that its caller makes anyway.
 */

/** A topic that a request names: by its id, or by its number for the retry of an email. */
export type TopicRef = string | number;

interface SendTopic {
  n: number;
  id: string;
  defaultChoice: Choice;
}

/** The topics that some requests name, and the choices of their recipients. */
export interface SendTopics {
  topics: readonly SendTopic[];
  /** By number of the topic and canonical address. */
  choices: ReadonlyMap<string, Choice>;
}

export const NO_TOPICS: SendTopics = { topics: [], choices: new Map() };

const choiceKey = (topic: number, email: string) => `${topic} ${email}`;

const NAMED = "(SELECT value FROM json_each(?2))";

const findTopics = (workspace: string) => `
  SELECT n, id, default_choice AS defaultChoice FROM topics
   WHERE workspace = ${workspace} AND (id IN ${NAMED} OR n IN ${NAMED})`;

// By the key: at most as many rows for each recipient as a workspace has topics.
const findChoices = (workspace: string) => `
  SELECT topic, email, choice FROM topic_choices
   WHERE workspace = ${workspace} AND email IN (SELECT value FROM json_each(?3))
     AND topic IN (SELECT n FROM topics WHERE workspace = ${workspace} AND (id IN ${NAMED} OR n IN ${NAMED}))`;

/**
 * Returns the statements that read the topics that some requests name, and the choices of recipients, for `toSendTopics`. None when no topic
 * is named. `workspace` is an SQL expression of `?1`, to which `parameter` is bound; `recipients`: JSON lists of the forms of addresses.
 */
export function sendTopicsStatements(
  ctx: Ctx,
  { workspace, parameter }: { workspace: string; parameter: unknown },
  refs: ReadonlySet<TopicRef>,
  recipients: readonly string[],
): MainStatement[] {
  if (refs.size === 0) return [];
  const named = JSON.stringify([...refs]);
  return [
    ctx.db.prepare(findTopics(workspace)).bind(parameter, named),
    ...recipients.map((chunk) => ctx.db.prepare(findChoices(workspace)).bind(parameter, named, chunk)),
  ];
}

/** Returns what `sendTopicsStatements` read. */
export function toSendTopics([topics, ...choices]: readonly D1Result[], forms: AddressForms): SendTopics {
  if (!topics) return NO_TOPICS;
  const found = choices.flatMap(({ results }) => results as { topic: number; email: string; choice: Choice }[]);
  const rows = forms.toRows(found);
  return {
    topics: topics.results as SendTopic[],
    choices: new Map(rows.map(({ topic, email, choice }) => [choiceKey(topic, email), choice])),
  };
}

/** Returns the topic that a request names, or null when the workspace has none like it. */
export function topicOf({ topics }: SendTopics, ref: TopicRef): SendTopic | null {
  return topics.find(({ id, n }) => id === ref || n === ref) ?? null;
}

/** Returns whether a recipient, by its canonical address, gets no mail of a topic. */
export function hasLeft({ choices }: SendTopics, topic: SendTopic, email: string): boolean {
  return choiceOf(topic, choices.get(choiceKey(topic.n, email))) === "unsubscribed";
}

/** SQL for the choice of a person, of the forms of their address in a JSON list: the address itself first. */
const choiceSql = (forms: string, workspace: string) => `
  (SELECT c.choice FROM json_each(${forms}) f CROSS JOIN topic_choices c ON c.workspace = ${workspace} AND c.email = f.value AND c.topic = t.n
    ORDER BY f.key LIMIT 1)`;

const FIND_LEFT = `
  SELECT j.value->>0 AS email FROM json_each(?2) j
    LEFT JOIN topics t ON t.n = ?3 AND t.workspace = ?1
   WHERE coalesce(${choiceSql("j.value", "?1")}, t.default_choice, 'unsubscribed') = 'unsubscribed'`;

/** Returns the statements that find which canonical addresses get no mail of a topic, as rows with `email`: all when the topic was deleted. */
export function findLeftStatements(
  ctx: Ctx,
  workspace: number,
  topic: number,
  emails: readonly string[],
): MainStatement[] {
  const chunks = jsonChunks(emails.map((email) => JSON.stringify(formsOf(email))));
  return chunks.map((chunk) => ctx.db.prepare(FIND_LEFT).bind(workspace, chunk, topic));
}

const FIND_SUBSCRIBED = `
  SELECT j.value->>0 AS email, t.id AS topic FROM json_each(?2) j
   CROSS JOIN json_each(?3) k CROSS JOIN topics t ON t.workspace = ?1 AND t.id = k.value
   WHERE coalesce(${choiceSql("j.value", "?1")}, t.default_choice) = 'subscribed'`;

/** Returns the statements that find which topics of some, by their ids, persons are subscribed to, as rows with `email` and `topic`. */
export function findSubscribedStatements(
  ctx: Ctx,
  workspace: number,
  topics: readonly string[],
  emails: readonly string[],
): MainStatement[] {
  if (topics.length === 0 || emails.length === 0) return [];
  const chunks = jsonChunks(emails.map((email) => JSON.stringify(formsOf(email))));
  return chunks.map((chunk) => ctx.db.prepare(FIND_SUBSCRIBED).bind(workspace, chunk, JSON.stringify(topics)));
}

/** A recipient of mail of a topic. */
export interface TopicRecipient {
  workspace: number;
  email: string;
  topic: number;
}

/** A recipient who gets no mail of a topic; `isDeleted`: the topic does not exist any more. */
export type LeftRow = TopicRecipient & { isDeleted: 0 | 1 };

const FIND_LEFT_OF_MAILS = `
  SELECT j.value->>0 AS workspace, j.value->>1 AS email, j.value->>2 AS topic, t.n IS NULL AS isDeleted FROM json_each(?1) j
    LEFT JOIN topics t ON t.n = j.value->>2 AND t.workspace = j.value->>0
   WHERE coalesce(${choiceSql("j.value->3", "j.value->>0")}, t.default_choice, 'unsubscribed') = 'unsubscribed'`;

/** Returns the statements that find which recipients get no mail of a topic, as LeftRow. */
export function findLeftOfMailsStatements(ctx: Ctx, recipients: readonly TopicRecipient[]): MainStatement[] {
  const rows = recipients.map(({ workspace, email, topic }) =>
    JSON.stringify([workspace, email, topic, formsOf(email)]),
  );
  return rows.length === 0 ? [] : jsonChunks(rows).map((chunk) => ctx.db.prepare(FIND_LEFT_OF_MAILS).bind(chunk));
}

/** Addresses of one read of those who differ from the default. */
const DIFFERING_PER_PAGE = 10_000;

const FIND_DIFFERING = `
  SELECT c.email FROM topics t CROSS JOIN topic_choices c ON c.topic = t.n
   WHERE t.n = ?1 AND c.choice = CASE t.default_choice WHEN 'subscribed' THEN 'unsubscribed' ELSE 'subscribed' END AND c.email > ?2
   ORDER BY c.email LIMIT ?3`;

/** Returns the canonical addresses whose choice differs from the default of a topic, in pages. For counts: without those of erased persons. */
export async function* differingFrom(ctx: Ctx, topic: number): AsyncGenerator<string[]> {
  for (let after: string | null = FIRST_ADDRESS; after !== null; ) {
    const results: { email: string }[] = await ctx.db.listRows(FIND_DIFFERING, topic, after, DIFFERING_PER_PAGE);
    if (results.length > 0) yield results.map(({ email }) => email);
    after = results.length < DIFFERING_PER_PAGE ? null : (results.at(-1)?.email ?? null);
  }
}
