import type { CallerCtx } from "../../access/caller.ts";
import { invalidField } from "../../lib/errors.ts";
import { LiquidTextError, type Parts, parseLiquid } from "../../lib/liquid/text.ts";
import { parsePersonalText } from "../../lib/personal-text.ts";
import type { Encoding } from "../../lib/placeholders.ts";
import type { Ctx } from "../../platform/context.ts";
import { BODY_COLUMNS, type ContentColumns, fillContents } from "./contents.ts";
import { type BodyParts, NO_PARTS, type TemplateContent } from "./render.ts";
import { MAX_PARTS, PARTS_BYTES } from "./rules.ts";

type Field = "subject" | "html_body" | "text_body";

/**
 * Checks a template that is to be stored, with the parts that it renders. Throws 422 with line and column of the first mistake, for a
 * part that does not exist or renders itself, and for more than MAX_PARTS. `name`: that of the template, null for a text that no other
 * can render. At most one D1 call. Returns the templates that it renders, and the values that it reads; null for one of placeholders, which
 * is read whenever it is shown.
 */
export async function examine(
  ctx: CallerCtx,
  { language, ...content }: TemplateContent,
  name: string | null,
): Promise<{ parts: string[] | null; variables: string[] | null }> {
  if (language === "placeholders") return { parts: null, variables: null };
  const texts: [Field, string | null, Encoding][] = [
    ["html_body", content.htmlBody, "html"],
    ["text_body", content.textBody, "text"],
    ["subject", content.subject, "header"],
  ];
  const named = texts.flatMap(([field, text, encoding]) =>
    text === null ? [] : withField(field, () => parseLiquid(text, encoding).parts),
  );
  const names = [...new Set(named)];
  if (names.length > MAX_PARTS) throw invalidField("html_body", `A template renders at most ${MAX_PARTS} others`);
  const found = withNewest(await readParts(ctx, ctx.workspace.number, names), content, name);
  const variables = texts.flatMap(([field, text, encoding]) => {
    const parts = field === "subject" ? {} : found[field === "html_body" ? "html" : "text"];
    return text === null ? [] : withField(field, () => parsePersonalText("liquid", text, encoding, parts).paths);
  });
  return { parts: names.length > 0 ? names : null, variables: [...new Set(variables)] };
}

/** Returns the parts with the new text of the template itself in place of the stored one. */
function withNewest(
  parts: BodyParts,
  { htmlBody, textBody }: Omit<TemplateContent, "language">,
  name: string | null,
): BodyParts {
  if (name === null) return parts;
  const put = (of: Parts, text: string | null): Parts =>
    text !== null && Object.hasOwn(of, name) ? { ...of, [name]: text } : of;
  return { html: put(parts.html, htmlBody), text: put(parts.text, textBody) };
}

function withField<Result>(field: Field, run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    if (error instanceof LiquidTextError) throw invalidField(field, `${field}: ${error.message}`);
    throw error;
  }
}

// Parts may render parts. Of several templates with one name the one that was changed last counts.
const READ = `
  WITH RECURSIVE used(name) AS (
    SELECT value FROM json_each(?2)
    UNION SELECT p.value FROM used JOIN templates t ON t.workspace = ?1 AND t.name = used.name JOIN json_each(t.parts) p LIMIT ?3),
  found AS (
    SELECT u.name, t.id, sum(t.size) OVER (ORDER BY u.name) AS total FROM used u
      JOIN templates t ON t.id = (SELECT id FROM templates WHERE workspace = ?1 AND name = u.name ORDER BY updated_at DESC LIMIT 1)
     WHERE t.language = 'liquid')
  SELECT f.name, ${BODY_COLUMNS} FROM found f JOIN templates t ON t.id = f.id
   WHERE f.total <= ${PARTS_BYTES}`;

/**
 * Returns the bodies of the Liquid templates with these names and of those that they render: at most MAX_PARTS for each of `templates`,
 * and PARTS_BYTES. Others have none. One D1 call, none without names; then one to R2 for each that is large.
 */
export async function readParts(
  ctx: Pick<Ctx, "db" | "env">,
  workspace: number,
  names: Iterable<string>,
  templates: number = 1,
): Promise<BodyParts> {
  const wanted = JSON.stringify([...new Set(names)]);
  if (wanted === "[]") return NO_PARTS;
  const values = [workspace, wanted, MAX_PARTS * templates];
  const results = await fillContents(ctx, await ctx.db.listRows<ContentColumns & { name: string }>(READ, ...values));
  const bodies = (body: "htmlBody" | "textBody") =>
    Object.fromEntries(results.flatMap((part) => (part[body] === null ? [] : [[part.name, part[body]]])));
  return { html: bodies("htmlBody"), text: bodies("textBody") };
}
