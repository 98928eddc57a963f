import type { CallerCtx } from "../../access/caller.ts";
import { insertTemplate } from "./create.ts";
import { getTemplate } from "./queries.ts";
import { DUPLICATE_SUFFIX } from "./rules.ts";
import type { TemplateOut } from "./schema.ts";

/** Copies a template under its name and DUPLICATE_SUFFIX. Throws 404, and 413 when the longer name makes it too large. */
export async function duplicateTemplate(ctx: CallerCtx, id: string): Promise<TemplateOut> {
  const { name, subject, htmlBody, textBody, blocksJson } = await getTemplate(ctx, id);
  return insertTemplate(ctx, { name: `${name}${DUPLICATE_SUFFIX}`, subject, htmlBody, textBody, blocksJson });
}
