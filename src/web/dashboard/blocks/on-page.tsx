import type { CallerCtx } from "../../../access/caller.ts";
import type { AppContext } from "../../../http/env.ts";
import { respondMailHtml } from "../../../http/page.tsx";
import { pictureUrl } from "../../../identity/pictures/index.ts";
import { escapeHtml } from "../../../lib/placeholders.ts";
import { type Brand, readBrand } from "../../../platform/brands/brand.ts";
import { type Block, toBlock } from "../../../sending/templates/index.ts";
import { CONTACT, contactValues } from "../contact-values.ts";
import { previewHtml, readSamples } from "../sample-values.ts";
import { changeOf } from "./change.ts";
import { isBlank, readContent, type StoredContent, toContent, toPreview, type WrittenContent } from "./content.ts";

/** Returns the content of a page's form and the change of its blocks, by what was submitted or stored and the parameter `editor`. */
export async function editedContent(c: AppContext, stored: StoredContent | null) {
  const [caller, fields, editor] = [c.get("caller"), c.get("form"), c.req.query("editor")];
  const brand = () => readBrand(caller, caller.workspace.number);
  if (fields?.has("editor") || fields?.has("html_body")) {
    const content = readContent(fields);
    const isChanged = changeOf(content.blocks, fields) !== undefined;
    return { content, change: isChanged ? changeOf(content.blocks, fields, (await brand())?.color) : undefined };
  }
  const content = stored === null ? readContent(new URLSearchParams()) : toContent(stored);
  if (editor === "html") content.blocks = null;
  else if (editor === "blocks" && isBlank(stored)) content.blocks = firstBlocks(caller, await brand());
  return { content, change: undefined };
}

/** Returns the first blocks of a content: the logo of the brand above an empty text, and the postal address below it. */
function firstBlocks(caller: CallerCtx, brand: Brand | null): Block[] {
  const { name } = caller.workspace;
  const { logo, address } = brand ?? {};
  if (logo === undefined && address === undefined) return [];
  return [
    ...(logo === undefined ? [] : [toBlock("image", { text: name, url: pictureUrl(caller, logo) })]),
    toBlock("text", {}),
    ...(address === undefined ? [] : [toBlock("divider", {}), toBlock("text", { text: `${name}\n${address}` })]),
  ];
}

/** Returns the HTML of a content for the frame of its page, or its text when it has no HTML, with the values that the fields name. */
export async function showContent(c: AppContext, written: WrittenContent, fields: URLSearchParams): Promise<Response> {
  const caller = c.get("caller");
  const content = toPreview(written);
  if (typeof content === "string") return respondMailHtml(c, `<p>${escapeHtml(content)}</p>`);
  const contact = await contactValues(caller, fields.get(CONTACT) ?? "");
  return respondMailHtml(c, await previewHtml(caller, content, readSamples(fields), contact));
}
