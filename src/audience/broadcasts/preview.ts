import type { CallerCtx } from "../../access/caller.ts";
import { onError } from "../../lib/errors.ts";
import { LiquidTextError } from "../../lib/liquid/text.ts";
import { parsePersonalText } from "../../lib/personal-text.ts";
import { escapeHtml } from "../../lib/placeholders.ts";
import { type ContactValues, findSampleContact } from "../contacts/index.ts";
import { currentParts, toContents, type VariantContent } from "./contents.ts";
import { EVENT, valuesOf, WEB_VERSION_URL } from "./new-email.ts";
import type { Broadcast } from "./queries.ts";
import { type RenderedContent, renderContent } from "./render-content.ts";
import { limits } from "./rules.ts";
import type { VariantRow } from "./variants/queries.ts";

/** A broadcast as one person gets it. */
export interface BroadcastPreview extends Omit<RenderedContent, "subject"> {
  /** Whose values fill it; null: no contact's, so fields are empty. */
  contact: ContactValues | null;
  /** In the order of the variants; one without variants. */
  subjects: string[];
  preheader: string;
}

/**
 * Renders a broadcast as a contact gets it, by its address, or as the oldest one of its list does. Of variants the bodies are those of the
 * given one, or of the oldest. A mistake in its text stands in place of the HTML. Two D1 calls at most.
 */
export async function previewBroadcast(
  ctx: CallerCtx,
  { row }: Broadcast,
  variants: readonly VariantRow[],
  { address, variantId }: { address?: string | undefined; variantId?: string | undefined },
): Promise<BroadcastPreview> {
  const contact = await findSampleContact(ctx, { address, listId: row.contact_list_id });
  const now = ctx.now();
  const values = { ...(contact && valuesOf(contact)), [WEB_VERSION_URL]: row.web_version_url ?? "" };
  const render = async (): Promise<BroadcastPreview> => {
    const contents = toContents(row, variants, await currentParts(ctx, row, variants));
    const chosen = contents.find(({ key }) => key === variantId) ?? contents[0];
    const { html = null, text = null } = chosen ? renderContent(chosen, { values, now }) : {};
    const subjects = contents.map(({ subject }) => subject.render({ values, now }, limits.contentBytes) ?? "");
    const parsed = parsePersonalText(row.language, row.preheader ?? "", "header");
    const preheader = parsed.render({ values, now }, limits.contentBytes) ?? "";
    return { contact, subjects, preheader, html, text };
  };
  return render().catch(
    onError(LiquidTextError, (error) => ({ contact, subjects: [], preheader: "", ...asBodies(error) })),
  );
}

/** Returns a mistake in place of the bodies that it keeps from being rendered. */
const asBodies = ({ message }: LiquidTextError) => ({ html: `<p>${escapeHtml(message)}</p>`, text: message });

/** Renders a content for a contact, by address or the oldest, after an event; a mistake in place of the bodies. One D1 call. */
export async function previewContent(
  ctx: CallerCtx,
  content: VariantContent,
  { address, event }: { address: string; event: Readonly<Record<string, unknown>> },
): Promise<RenderedContent> {
  const contact = await findSampleContact(ctx, { address });
  const values = { ...(contact && valuesOf(contact)), [EVENT]: event };
  try {
    return renderContent(content, { values, now: ctx.now() });
  } catch (error) {
    if (!(error instanceof LiquidTextError)) throw error;
    return { subject: "", ...asBodies(error) };
  }
}
