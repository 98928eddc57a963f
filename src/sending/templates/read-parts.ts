import type { Ctx } from "../../platform/context.ts";
import { type BodyParts, NO_PARTS } from "./render.ts";
import { MAX_PARTS, PARTS_BYTES } from "./rules.ts";

// Parts may render parts. Of several templates with one name the one that was changed last counts.
const READ = `
  WITH RECURSIVE used(name) AS (
    SELECT value FROM json_each(?2)
    UNION SELECT p.value FROM used JOIN templates t ON t.workspace = ?1 AND t.name = used.name JOIN json_each(t.parts) p LIMIT ?3),
  found AS (
    SELECT u.name, t.id, sum(t.size) OVER (ORDER BY u.name) AS total FROM used u
      JOIN templates t ON t.id = (SELECT id FROM templates WHERE workspace = ?1 AND name = u.name ORDER BY updated_at DESC LIMIT 1)
     WHERE t.language = 'liquid')
  SELECT f.name, t.html_body AS htmlBody, t.text_body AS textBody FROM found f JOIN templates t ON t.id = f.id
   WHERE f.total <= ${PARTS_BYTES}`;

interface PartRow {
  name: string;
  htmlBody: string | null;
  textBody: string | null;
}

/**
 * Returns the bodies of the Liquid templates with these names and of those that they render: at most MAX_PARTS for each of `templates`,
 * and PARTS_BYTES. Others have none. One D1 call, none without names.
 */
export async function readParts(
  ctx: Pick<Ctx, "db">,
  workspace: number,
  names: Iterable<string>,
  templates: number = 1,
): Promise<BodyParts> {
  const wanted = JSON.stringify([...new Set(names)]);
  if (wanted === "[]") return NO_PARTS;
  const { results } = await ctx.db
    .prepare(READ)
    .bind(workspace, wanted, MAX_PARTS * templates)
    .all<PartRow>();
  const bodies = (body: "htmlBody" | "textBody") =>
    Object.fromEntries(results.flatMap((part) => (part[body] === null ? [] : [[part.name, part[body]]])));
  return { html: bodies("htmlBody"), text: bodies("textBody") };
}
