import type { CallerCtx } from "../../../access/caller.ts";
import { lowerCase } from "../../../lib/addresses.ts";
import type { SearchQuery } from "./parse-query.ts";
import { isAscii } from "./plan.ts";

/** Mailboxes with letters outside ASCII that one search compares. Most workspaces have none. */
const MAX_MAILBOXES = 10_000;

const FIND_MAILBOXES = `
  SELECT t.value->>'text' AS text, m.id FROM json_each(?2) t CROSS JOIN (
    SELECT id, address FROM mailboxes WHERE workspace = ?1 AND address GLOB '*[^ -~]*' LIMIT ?3) m
   WHERE instr(m.address, t.value->>'key') > 0`;

/**
 * Returns the mailboxes whose canonical address contains a text of the query, by text. Only texts with letters outside
 * ASCII need them: SQLite compares the others with the sender in the email's row. Most searches make no query here.
 */
export async function findSendersByText(ctx: CallerCtx, query: SearchQuery): Promise<Map<string, string[]>> {
  const texts = [...new Set([...query.from, ...query.words])].filter((text) => !isAscii(text));
  if (texts.length === 0) return new Map();
  const keys = JSON.stringify(texts.map((text) => ({ text, key: lowerCase(text) })));
  const { results } = await ctx.db
    .prepare(FIND_MAILBOXES)
    .bind(ctx.workspace.number, keys, MAX_MAILBOXES)
    .all<{ text: string; id: string }>();
  const byText = Map.groupBy(results, ({ text }) => text);
  return new Map([...byText].map(([text, rows]) => [text, rows.map(({ id }) => id)]));
}
