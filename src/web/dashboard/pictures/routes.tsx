import type { AppContext } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import { deletion, page, pagesOf, post } from "../../../http/page-actions.tsx";
import { attempt } from "../../../http/page-routes.ts";
import { AppLayout, ButtonLink, Code, Empty, ErrorSummary, List, Time, useScope } from "../../../http/ui/index.ts";
import {
  deletePicture,
  getPicture,
  listPictures,
  type PictureOut,
  uploadPicture,
} from "../../../identity/pictures/index.ts";
import { readPicture, UploadForm } from "../picture-upload.tsx";

const UPLOAD = "POST /v1/pictures";

/** The pictures of the workspace, with the URL of each to copy. */
export const picturePages = pagesOf(
  "picture",
  page("/app/pictures", "GET /v1/pictures", showPictures),
  post(
    "/app/pictures",
    UPLOAD,
    (c) =>
      attempt(c, showPictures, async () => {
        await uploadPicture(c.get("caller"), await readPicture(c));
        return "/app/pictures?done=uploaded";
      }),
    { uploaded: "The picture is uploaded." },
  ),
  deletion("/app/pictures/:picture_id/delete", "DELETE /v1/pictures/:picture_id", {
    of: getPicture,
    title: "Delete the picture?",
    text: "It disappears from emails that were sent, and from pages and templates that show it. This cannot be undone.",
    run: deletePicture,
    to: "/app/pictures",
  }),
);

async function showPictures(c: AppContext) {
  return respondPage(c, <PicturesPage pictures={await listPictures(c.get("caller"))} />);
}

const PicturesPage = ({ pictures }: { pictures: readonly PictureOut[] }) => (
  <AppLayout title="Pictures" at="/app/templates">
    <ErrorSummary />
    {useScope("templates:manage") ? <UploadForm action="/app/pictures" button="Upload" /> : null}
    <List
      caption="Pictures"
      columns={["Picture", "URL", "Uploaded", useScope("templates:manage") && "Action"]}
      empty={<Empty drawing="template">No picture yet. Each gets a public URL for templates and emails.</Empty>}
      rows={pictures.map(({ id, url, created_at }) => [
        <img class="thumbnail" src={new URL(url).pathname} alt={id} loading="lazy" />,
        <Code label={`URL of ${id}`} text={url} />,
        <Time at={created_at} />,
        <ButtonLink to={`/app/pictures/${id}/delete`} label="Delete" kind="danger" />,
      ])}
    />
  </AppLayout>
);
