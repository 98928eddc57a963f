import type { CallerCtx } from "../../access/caller.ts";
import { invalidField } from "../../lib/errors.ts";
import { LiquidTextError, parseLiquid } from "../../lib/liquid/text.ts";
import { examine } from "../../sending/templates/index.ts";
import type { BroadcastRow } from "./queries.ts";

type Texts = Pick<BroadcastRow, "language" | "subject" | "preheader" | "html_body" | "text_body">;

/**
 * Checks the texts of a broadcast or variant that is to be stored. Throws 422 with line and column of the first mistake, or for a part
 * that does not exist (docs/contract/templates.md#liquid). At most one D1 call.
 */
export async function checkTexts(ctx: CallerCtx, { language, ...texts }: Texts): Promise<void> {
  const content = { language, subject: texts.subject, htmlBody: texts.html_body, textBody: texts.text_body };
  await examine(ctx, content, null);
  if (language === "placeholders" || texts.preheader === null) return;
  try {
    if (parseLiquid(texts.preheader, "html").parts.length > 0)
      throw invalidField("preheader", "preheader: a preheader renders no other templates");
  } catch (error) {
    if (error instanceof LiquidTextError) throw invalidField("preheader", `preheader: ${error.message}`);
    throw error;
  }
}
