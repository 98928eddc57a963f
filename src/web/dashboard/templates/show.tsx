import type { CallerCtx } from "../../../access/caller.ts";
import type { AppContext } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import { pictureUrl } from "../../../identity/pictures/index.ts";
import { type Brand, readBrand } from "../../../platform/brands/brand.ts";
import { type Block, getTemplate, toBlock, toTemplate } from "../../../sending/templates/index.ts";
import { CONTACT, contactValues } from "../contact-values.ts";
import { readSamples } from "../sample-values.ts";
import { listSenders } from "../senders.ts";
import { type BlocksChange, changeBlocks, emptyForm, type TemplateForm, toForm, toTemplateForm } from "./form.ts";
import { TemplatePage } from "./page.tsx";

/** Returns the page of a new template. */
export async function showNew(c: AppContext) {
  const fields = c.get("form");
  const caller = c.get("caller");
  const brand = await readBrand(caller, caller.workspace.number);
  const blocks = c.req.query("editor") === "blocks" ? firstBlocks(caller, brand) : null;
  const form = fields ? toTemplateForm(fields) : emptyForm(blocks);
  const change = fields && changeOf(form, fields, brand);
  return respondPage(c, <TemplatePage template={null} form={form} change={change} />, { frames: true });
}

/** Returns the page of a stored template. Throws 404. */
export async function showTemplate(c: AppContext) {
  const caller = c.get("caller");
  const [row, senders, brand] = await Promise.all([
    getTemplate(caller, c.req.param("template_id") ?? ""),
    listSenders(caller),
    readBrand(caller, caller.workspace.number),
  ]);
  const template = toTemplate(row);
  const fields = c.get("form") ?? new URL(c.req.url).searchParams;
  // Other forms of the page do not have the fields of the template.
  const form = c.get("form")?.has("name") ? toTemplateForm(fields) : toForm(template);
  const change = changeOf(form, fields, brand);
  const contact = fields.get(CONTACT) ?? "";
  const page = (
    <TemplatePage
      template={template}
      form={form}
      samples={readSamples(fields)}
      contact={contact}
      hasContact={contact === "" || (await contactValues(caller, contact)) !== null}
      senders={senders}
      change={change}
    />
  );
  return respondPage(c, page, { frames: true });
}

/** Returns the blocks of a new template: the logo of the brand above an empty text, and the postal address below it. */
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

/** Returns the change that a button of the blocks asks for. Undefined: another button was pressed. */
export const changeOf = (
  { blocks }: TemplateForm,
  fields: URLSearchParams,
  brand: Brand | null = null,
): BlocksChange | undefined => (blocks && changeBlocks(blocks, fields.get("action") ?? "", brand?.color)) ?? undefined;
