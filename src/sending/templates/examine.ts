import type { CallerCtx } from "../../access/caller.ts";
import { invalidField } from "../../lib/errors.ts";
import { LiquidTextError, type Parts, parseLiquid } from "../../lib/liquid/text.ts";
import { parsePersonalText } from "../../lib/personal-text.ts";
import type { Encoding } from "../../lib/placeholders.ts";
import { readParts } from "./read-parts.ts";
import type { BodyParts, TemplateContent } from "./render.ts";
import { MAX_PARTS } from "./rules.ts";

/** The templates that a Liquid template renders, and the values that it reads; null for one of placeholders, which is read whenever it is shown. */
export interface Examined {
  parts: string[] | null;
  variables: string[] | null;
}

type Field = "subject" | "html_body" | "text_body";

/**
 * Checks a template that is to be stored, with the parts that it renders. Throws 422 with line and column of the first mistake, for a
 * part that does not exist or renders itself, and for more than MAX_PARTS. `name`: that of the template, null for a text that no other
 * can render. At most one D1 call.
 */
export async function examine(
  ctx: CallerCtx,
  { language, ...content }: TemplateContent,
  name: string | null,
): Promise<Examined> {
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
