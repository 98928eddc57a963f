import type { CallerCtx } from "../../access/caller.ts";
import { invalidField, tooLarge } from "../../lib/errors.ts";
import { LiquidTextError } from "../../lib/liquid/text.ts";
import type { Rendering } from "../../lib/personal-text.ts";
import { readParts } from "./examine.ts";
import { getTemplate } from "./queries.ts";
import {
  type BodyParts,
  parseTemplate,
  renderTemplate,
  type TemplateContent,
  UNFIT_VARIABLE,
  unfitVariable,
} from "./render.ts";
import { RENDERED_BYTES } from "./rules.ts";
import type { PreviewIn, PreviewOut } from "./schema.ts";

/**
 * Renders a template with given variables and lists those that are missing. Throws 404; 413 when the result is too long; 422 when a part
 * is missing, or the text reaches a limit with these values.
 */
export async function previewTemplate(ctx: CallerCtx, id: string, { variables }: PreviewIn): Promise<PreviewOut> {
  const template = await getTemplate(ctx, id);
  const values = variables ?? {};
  if (unfitVariable(template.language, values) !== null) throw invalidField("variables", UNFIT_VARIABLE);
  const rendered = render(template, await readParts(ctx, ctx.workspace.number, template.parts ?? []), {
    values,
    now: ctx.now(),
  });
  if (rendered === null)
    throw tooLarge(`The rendered template is too long; the limit is ${RENDERED_BYTES.toLocaleString("en")} bytes`);
  const { subject, htmlBody, textBody, missing } = rendered;
  return { subject, html_body: htmlBody, text_body: textBody, missing };
}

function render(template: TemplateContent, parts: BodyParts, rendering: Rendering) {
  try {
    return renderTemplate(parseTemplate(template, parts), rendering);
  } catch (error) {
    if (error instanceof LiquidTextError) throw invalidField("variables", error.message);
    throw error;
  }
}
