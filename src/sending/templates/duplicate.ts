import type { CallerCtx } from "../../access/caller.ts";
import { insertTemplate } from "./create.ts";
import { getTemplate } from "./queries.ts";
import { DUPLICATE_SUFFIX } from "./rules.ts";
import type { TemplateOut } from "./schema.ts";

/** Copies a template under its name and DUPLICATE_SUFFIX. Throws 404, and as `createTemplate`. */
export async function duplicateTemplate(ctx: CallerCtx, id: string): Promise<TemplateOut> {
  const { name, language, subject, htmlBody, textBody, blocksJson } = await getTemplate(ctx, id);
  return insertTemplate(ctx, { name: `${name}${DUPLICATE_SUFFIX}`, language, subject, htmlBody, textBody, blocksJson });
}
