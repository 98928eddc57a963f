import type { CallerCtx } from "../../access/caller.ts";
import { tooLarge } from "../../lib/errors.ts";
import { getTemplate } from "./queries.ts";
import { renderTemplate } from "./render.ts";
import { RENDERED_BYTES } from "./rules.ts";
import type { PreviewIn, PreviewOut } from "./schema.ts";

/** Renders a template with given variables and lists those that are missing. Throws 404, and 413 when the result is too long. */
export async function previewTemplate(ctx: CallerCtx, id: string, { variables }: PreviewIn): Promise<PreviewOut> {
  const rendered = renderTemplate(await getTemplate(ctx, id), variables ?? {});
  if (rendered === null)
    throw tooLarge(`The rendered template is too long; the limit is ${RENDERED_BYTES.toLocaleString("en")} bytes`);
  const { subject, htmlBody, textBody, missing } = rendered;
  return { subject, html_body: htmlBody, text_body: textBody, missing };
}
