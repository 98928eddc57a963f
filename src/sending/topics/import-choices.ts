import type { CallerCtx } from "../../access/caller.ts";
import { spendStatement } from "../../platform/db/has-room.ts";
import { jsonChunks } from "../../platform/db/json-chunks.ts";
import { requireMainSpace } from "../../platform/jobs/shard-sizes.ts";
import type { Choice } from "./rules.ts";

/** A choice of a person about a topic by its id. `email` is in canonical form. */
export interface ImportedChoice {
  id: string;
  email: string;
  choice: Choice;
}

/** Returns the choice that a cell names, null when it is empty, undefined when it names none. */
export function readChoice(cell: string): Choice | null | undefined {
  const text = cell.trim();
  if (text === "") return null;
  if (/^(?:subscribed|true|yes|1|x)$/i.test(text)) return "subscribed";
  return /^(?:unsubscribed|false|no|0)$/i.test(text) ? "unsubscribed" : undefined;
}

// A choice that a person has made stays, unless the file says that the person left.
const IMPORT = `
  INSERT INTO topic_choices (workspace, email, topic, choice, chosen_at, method)
  SELECT t.workspace, j.value->>'email', t.n, j.value->>'choice', ?3, 'api' FROM json_each(?2) j
   CROSS JOIN topics t ON t.workspace = ?1 AND t.id = j.value->>'id' WHERE true
  ON CONFLICT DO UPDATE SET choice = excluded.choice, chosen_at = excluded.chosen_at, method = excluded.method
   WHERE excluded.choice = 'unsubscribed' AND topic_choices.choice <> excluded.choice`;

/** SQL: the number of choices of the workspace ?1 in the JSON ?2, each with a person, that are no row yet. */
export const NEW_CHOICES = `(
  SELECT count(*) FROM (SELECT DISTINCT t.n, j.value->>'email' AS email FROM json_each(?2) j
     CROSS JOIN topics t ON t.workspace = ?1 AND t.id = j.value->>'id' WHERE j.value->>'choice' IS NOT NULL) c
   WHERE NOT EXISTS (SELECT 1 FROM topic_choices k WHERE k.workspace = ?1 AND k.email = c.email AND k.topic = c.n))`;

/** Stores the choices of many people. It subscribes no one who has left. They are no events. Safe to repeat. */
export async function importChoices(ctx: CallerCtx, choices: readonly ImportedChoice[]): Promise<void> {
  if (choices.length === 0) return;
  requireMainSpace(ctx);
  const statement = ctx.db.prepare(IMPORT);
  const chunks = jsonChunks(choices.map((choice) => JSON.stringify(choice)));
  const { number } = ctx.workspace;
  await ctx.db.batch(
    chunks.flatMap((json) => [
      spendStatement(ctx, "topic_choices", number, { count: NEW_CHOICES, json }),
      statement.bind(number, json, ctx.now()),
    ]),
  );
}
