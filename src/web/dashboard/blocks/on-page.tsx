import type { CallerCtx } from "../../../access/caller.ts";
import type { AppContext } from "../../../http/env.ts";
import { respondMailHtml } from "../../../http/page.tsx";
import { pictureUrl } from "../../../identity/pictures/index.ts";
import { escapeHtml } from "../../../lib/placeholders.ts";
import { readBrand } from "../../../platform/brands/brand.ts";
import { type Block, readBlocks, toBlock } from "../../../sending/templates/index.ts";
import { CONTACT, contactValues } from "../contact-values.ts";
import { previewHtml, readSamples } from "../sample-values.ts";
import { changeOf } from "./change.ts";
import { isBlank, type StoredContent, toPreview, type WrittenContent } from "./content.ts";

/**
 * Returns the blocks that a page shows of what is stored (null: of a new one), by its parameter `editor`: none for `html`, and for `blocks`
 * the first ones where nothing is written yet. At most one D1 call.
 */
export async function beginBlocks(c: AppContext, stored: StoredContent | null): Promise<Block[] | null> {
  const editor = c.req.query("editor");
  if (editor === "html") return null;
  if (editor === "blocks" && (stored === null || isBlank(stored))) return firstBlocks(c.get("caller"));
  return stored && readBlocks(stored.blocks_json);
}

/** Returns the first blocks of a content: the logo of the brand above an empty text, and the postal address below it. */
async function firstBlocks(caller: CallerCtx): Promise<Block[]> {
  const { name, number } = caller.workspace;
  const { logo, address } = (await readBrand(caller, number)) ?? {};
  if (logo === undefined && address === undefined) return [];
  return [
    ...(logo === undefined ? [] : [toBlock("image", { text: name, url: pictureUrl(caller, logo) })]),
    toBlock("text", {}),
    ...(address === undefined ? [] : [toBlock("divider", {}), toBlock("text", { text: `${name}\n${address}` })]),
  ];
}

/** Returns the change that a button of the submitted form has made of these blocks, with the colour of the brand. At most one D1 call. */
export async function changeOnPage(c: AppContext, blocks: Block[] | null) {
  const [fields, caller] = [c.get("form"), c.get("caller")];
  if (!changeOf(blocks, fields)) return undefined;
  return changeOf(blocks, fields, (await readBrand(caller, caller.workspace.number))?.color);
}

/** Returns the HTML of a content for the frame of its page, or its text when it has no HTML, with the values that the fields name. */
export async function showContent(c: AppContext, written: WrittenContent, fields: URLSearchParams): Promise<Response> {
  const caller = c.get("caller");
  const { mistake, ...content } = toPreview(written);
  if (mistake !== undefined) return respondMailHtml(c, `<p>${escapeHtml(mistake)}</p>`);
  const contact = await contactValues(caller, fields.get(CONTACT) ?? "");
  return respondMailHtml(c, await previewHtml(caller, content, readSamples(fields), contact));
}
