import { type AppContext, newRoutes } from "../../http/env.ts";
import { inputOf } from "../../http/form-input.ts";
import { webmailFor } from "../../http/mailbox-page-session.ts";
import { respondPage } from "../../http/page.tsx";
import { refusedAt, submitForm } from "../../http/page-routes.ts";
import { badRequest, notFound } from "../../lib/errors.ts";
import {
  createFolder,
  createLabel,
  deleteFolder,
  deleteLabel,
  FolderIn,
  LabelIn,
  renameFolder,
  updateLabel,
} from "../../mailboxes/inbox/index.ts";
import { DeleteLabelPage, FoldersAndLabelsPage, foldersAndLabelsNotice } from "./folders-and-labels-page.tsx";
import type { OpenPage } from "./layout.tsx";
import { openPage } from "./open-page.tsx";
import { settingsPath } from "./paths.ts";

/** The page of the folders and labels of a mailbox, and the forms on it. */
export const foldersAndLabelsPages = newRoutes()
  .get("/mail/folders/:mailbox_id", ...webmailFor("GET /v1/inbox/:mailbox_id/folders"), showFoldersAndLabels)
  .post("/mail/folders/:mailbox_id", ...webmailFor("POST /v1/inbox/:mailbox_id/folders"), (c) =>
    submitForm(c, showFoldersAndLabels, async (fields) => changeFolder(await openPage(c), fields)),
  )
  .post("/mail/labels/:mailbox_id", ...webmailFor("POST /v1/inbox/:mailbox_id/labels"), (c) =>
    submitForm(c, showFoldersAndLabels, async (fields) => {
      const page = await openPage(c);
      if (fields.get("action") === "delete" && fields.get("confirmed") !== "yes") {
        const label = page.labels.find(({ id }) => id === fields.get("label_id"));
        if (!label) throw notFound("Label");
        return respondPage(c, <DeleteLabelPage page={page} label={label} />);
      }
      return refusedAt(
        () => changeLabel(page, fields),
        ([, name = ""]) => (name === "name" ? "label_name" : String(name)),
      );
    }),
  );

async function changeFolder({ caller, mailbox }: OpenPage, fields: URLSearchParams): Promise<string> {
  const folder = fields.get("folder") ?? "";
  const action = fields.get("action");
  if (action === "delete") {
    await deleteFolder(mailbox, folder);
    return settingsPath(mailbox.id, "folders", { done: "folder-deleted" });
  }
  const { name } = inputOf(FolderIn)(fields);
  if (action === "rename") {
    await renameFolder(mailbox, folder, name);
    return settingsPath(mailbox.id, "folders", { done: "folder-renamed" });
  }
  if (action !== "create") throw badRequest("The form has no known action");
  await createFolder(caller, mailbox, name);
  return settingsPath(mailbox.id, "folders", { done: "folder-created", name });
}

async function changeLabel({ caller, mailbox }: OpenPage, fields: URLSearchParams): Promise<string> {
  const id = fields.get("label_id") ?? "";
  const action = fields.get("action");
  if (action === "delete") {
    await deleteLabel(mailbox, id);
    return settingsPath(mailbox.id, "folders", { done: "label-deleted" });
  }
  const label = inputOf(LabelIn, { name: (form) => form.get("label_name") ?? "" })(fields);
  if (action === "update") {
    await updateLabel(mailbox, id, label);
    return settingsPath(mailbox.id, "folders", { done: "label-saved" });
  }
  if (action !== "create") throw badRequest("The form has no known action");
  await createLabel(caller, mailbox, label);
  return settingsPath(mailbox.id, "folders", { done: "label-created" });
}

async function showFoldersAndLabels(c: AppContext) {
  const page = await openPage(c);
  const notice = foldersAndLabelsNotice(c.req.query("done"), c.req.query("name") ?? "");
  return respondPage(c, <FoldersAndLabelsPage page={page} />, { notice });
}
