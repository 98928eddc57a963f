import type { CallerCtx, ListRange } from "../../access/caller.ts";
import { requireFound } from "../../lib/errors.ts";
import { parseUuid } from "../../lib/ids.ts";
import type { Ctx, MainStatement } from "../../platform/context.ts";
import type { topics } from "../../platform/db/schema/main/index.ts";
import { formsOf } from "../../platform/erased-addresses/forms.ts";
import type { Choice } from "./rules.ts";

/** A row of `topics`. Times in milliseconds since 1970. */
export type TopicRow = Omit<typeof topics.$inferSelect, "workspace">;

const COLUMNS =
  "t.n, t.id, t.name, t.description, t.default_choice AS defaultChoice, t.is_public AS isPublic, t.created_at AS createdAt";

/** Returns topics of the caller's workspace, oldest first, after one. */
export async function listTopics(ctx: CallerCtx, { after, limit }: ListRange): Promise<TopicRow[]> {
  const sql = `SELECT ${COLUMNS} FROM topics t WHERE t.workspace = ?1 AND t.id > ?2 ORDER BY t.id LIMIT ?3`;
  return ctx.db.listRows<TopicRow>(sql, ctx.workspace.number, after ?? "", limit);
}

/** Returns one topic of the caller's workspace. Throws 404 for an id that is malformed, unknown or of another workspace. */
export async function getTopic(ctx: CallerCtx, id: string): Promise<TopicRow> {
  return requireFound(await findTopic(ctx, ctx.workspace.number, id), "Topic");
}

/** Returns one topic of a workspace, or null. */
export async function findTopic(ctx: Ctx, workspace: number, id: string): Promise<TopicRow | null> {
  const uuid = parseUuid(id);
  if (uuid === null) return null;
  const values = [workspace, uuid];
  return ctx.db.findRow<TopicRow>(`SELECT ${COLUMNS} FROM topics t WHERE t.workspace = ?1 AND t.id = ?2`, ...values);
}

/** A topic with the choice of a person, if they have one. */
export interface PersonTopicRow extends TopicRow {
  choice: Choice | null;
  chosenAt: number | null;
  method: string | null;
}

/** The topics of a workspace as they are for a person. */
export interface PersonTopics {
  /** The person has unsubscribed from all bulk mail. */
  isUnsubscribed: boolean;
  topics: PersonTopicRow[];
}

const OF_PERSON = `
  SELECT ${COLUMNS}, c.choice, c.chosen_at AS chosenAt, c.method FROM topics t
    LEFT JOIN topic_choices c ON c.workspace = ?1 AND c.topic = t.n AND c.email = (
      SELECT x.email FROM json_each(?2) f CROSS JOIN topic_choices x ON x.workspace = ?1 AND x.email = f.value AND x.topic = t.n
       ORDER BY f.key LIMIT 1)
   WHERE t.workspace = ?1 ORDER BY t.id`;

const IS_UNSUBSCRIBED =
  "SELECT max(reason = 'unsubscribe' OR unsubscribed_at IS NOT NULL) AS isUnsubscribed FROM suppressions WHERE workspace = ?1 AND email IN (SELECT value FROM json_each(?2))";

/** Returns the statements that read the topics of a person, for `toPersonRows`. At most as many rows as a workspace has topics. */
export function personTopicsStatements(
  ctx: Pick<Ctx, "db" | "settings">,
  workspace: number,
  email: string,
): MainStatement[] {
  const forms = JSON.stringify(formsOf(email));
  return [OF_PERSON, IS_UNSUBSCRIBED].map((sql) => ctx.db.prepare(sql).bind(workspace, forms));
}

/** Returns what `personTopicsStatements` read. */
export function toPersonRows([topics, all]: readonly D1Result[]): PersonTopics {
  const [row] = (all?.results ?? []) as { isUnsubscribed: 0 | 1 }[];
  return { isUnsubscribed: row?.isUnsubscribed === 1, topics: (topics?.results ?? []) as PersonTopicRow[] };
}

/** Returns all topics of a workspace as they are for the person with this canonical address, in one D1 call. */
export async function findPersonTopics(ctx: Ctx, workspace: number, email: string): Promise<PersonTopics> {
  return toPersonRows(await ctx.db.batch(personTopicsStatements(ctx, workspace, email)));
}
