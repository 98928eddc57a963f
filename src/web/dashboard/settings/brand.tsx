import type { AppContext } from "../../../http/env.ts";
import { fieldsOf } from "../../../http/form-fields.tsx";
import { inputOf } from "../../../http/form-input.ts";
import { respondMailHtml, respondPage } from "../../../http/page.tsx";
import { button, change, get, page, post } from "../../../http/page-actions.tsx";
import { attempt, readForm } from "../../../http/page-routes.ts";
import {
  AppLayout,
  ErrorSummary,
  Form,
  PostButton,
  SizedMailFrame,
  Submit,
  UpdatePreview,
} from "../../../http/ui/index.ts";
import { uploadPicture } from "../../../identity/pictures/index.ts";
import { BrandIn, updateWorkspace } from "../../../identity/workspaces/index.ts";
import { type Brand, readBrand } from "../../../platform/brands/brand.ts";
import { textsIn } from "../../../platform/recipient-texts/index.ts";
import { composeHtml } from "../../../sending/system-emails/index.ts";
import { readPicture, UploadForm } from "../picture-upload.tsx";

const UPDATE = "PATCH /v1/workspaces/:workspace_id";
const PATH = "/app/settings/brand";
const PREVIEW = `${PATH}/preview`;
/** Of buttons without a colour of the brand. */
const INK = "#1f1d1a";

const { Field, TextArea } = fieldsOf(BrandIn);
const readBrandForm = inputOf(BrandIn, { logo_url: () => undefined });

/** The page of the brand, which shows beside its form what recipients see. */
export const brandPages = [
  page(PATH, UPDATE, showBrand),
  change(PATH, UPDATE, {
    read: readBrandForm,
    run: (caller, brand) => updateWorkspace(caller, caller.workspace.id, { settings: { brand } }),
    done: { saved: "The brand is saved." },
  }),
  post(`${PATH}/logo`, UPDATE, (c) =>
    attempt(c, showBrand, async () => {
      const caller = c.get("caller");
      const { url } = await uploadPicture(caller, await readPicture(c));
      await updateWorkspace(caller, caller.workspace.id, { settings: { brand: { logo_url: url } } });
      return `${PATH}?done=saved`;
    }),
  ),
  button(`${PATH}/logo/remove`, UPDATE, {
    run: (caller) => updateWorkspace(caller, caller.workspace.id, { settings: { brand: { logo_url: null } } }),
    to: PATH,
    done: { removed: "The logo is removed." },
  }),
  get(PREVIEW, UPDATE, async (c) => showPreview(c, await brandOf(c))),
  post(PREVIEW, UPDATE, async (c) => {
    const { color, address } = readBrandForm(await readForm(c));
    return showPreview(c, { ...(await brandOf(c)), color: color ?? undefined, address: address ?? undefined });
  }),
];

const brandOf = async (c: AppContext): Promise<Brand> => {
  const { db, workspace } = c.get("caller");
  return (await readBrand({ db }, workspace.number)) ?? { name: workspace.name };
};

async function showBrand(c: AppContext) {
  return respondPage(c, <BrandPage brand={await brandOf(c)} />, { frames: true });
}

/** Shows an email and a page as recipients see them. */
function showPreview(c: AppContext, brand: Brand) {
  const { settings, actor } = c.get("caller");
  const texts = textsIn("en");
  const sender = { brand, origin: settings.publicUrl, language: "en" };
  const parts = [texts.confirmText(brand.name, "News"), { ask: "", label: texts.confirm, url: "" }];
  const about = [texts.leaveText, texts.writes(brand.name, actor.email), { ask: "", label: texts.leave, url: "" }];
  const html = [
    composeHtml({ subject: texts.confirmSubject("News"), parts }, sender),
    composeHtml({ subject: `${texts.leave}?`, parts: about }, sender),
  ];
  return respondMailHtml(c, html.join("<hr>"), { foreignImages: true });
}

const BrandPage = ({ brand: { logo, color = INK, address = "" } }: { brand: Brand }) => (
  <AppLayout title="Brand" at="/app/settings">
    <ErrorSummary />
    <p>
      Recipients see it on the pages behind your links, on your forms, and in emails that ask for confirmation. New
      templates of blocks begin with it.
    </p>
    <div class="beside">
      <div>
        <Form class="form" action={PATH} data-previewed="">
          <Field
            name="color"
            label="Colour"
            type="color"
            value={color}
            hint="Of buttons. Their text is black or white."
          />
          <TextArea name="address" label="Postal address" rows={3} value={address} />
          <div class="actions">
            <Submit label="Save" />
            <UpdatePreview to={PREVIEW} />
          </div>
        </Form>
        <h2>Logo</h2>
        {logo === undefined ? null : (
          <div class="actions">
            <img class="thumbnail" src={`/i/${logo}`} alt="Logo" />
            <PostButton to={`${PATH}/logo/remove`} label="Remove logo" kind="quiet" />
          </div>
        )}
        <UploadForm action={`${PATH}/logo`} button="Upload logo" kind="quiet" />
      </div>
      <aside aria-label="Preview">
        <SizedMailFrame title="Preview" name="preview" src={PREVIEW} />
      </aside>
    </div>
  </AppLayout>
);
