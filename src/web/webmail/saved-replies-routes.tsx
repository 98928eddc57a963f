import { type AppContext, newRoutes } from "../../http/env.ts";
import { inputOf } from "../../http/form-input.ts";
import { webmailFor } from "../../http/mailbox-page-session.ts";
import { respondPage } from "../../http/page.tsx";
import { submitForm } from "../../http/page-routes.ts";
import { badRequest, requireFound } from "../../lib/errors.ts";
import { createSavedReply, deleteSavedReply, SavedReplyIn, updateSavedReply } from "../../mailboxes/inbox/index.ts";
import { openPage } from "./open-page.tsx";
import { settingsPath } from "./paths.ts";
import { DeleteSavedReplyPage, SavedRepliesPage } from "./saved-replies-page.tsx";

const PATH = "/mail/saved-replies/:mailbox_id";

const notices: Readonly<Record<string, string>> = {
  create: "The saved reply was created.",
  update: "The saved reply was saved.",
  delete: "The saved reply was deleted.",
};

/** The page of the saved replies of a mailbox, and its forms. */
export const savedRepliesPages = newRoutes()
  .get(PATH, ...webmailFor("GET /v1/inbox/:mailbox_id/saved-replies"), show)
  .post(PATH, ...webmailFor("POST /v1/inbox/:mailbox_id/saved-replies"), (c) =>
    submitForm(c, show, async (fields) => {
      const page = await openPage(c);
      const { caller, mailbox } = page;
      const action = fields.get("action") ?? "";
      const id = fields.get("reply_id") ?? "";
      if (action === "delete" && fields.get("confirmed") !== "yes") {
        const reply = requireFound(await mailbox.store.findSavedReply(id), "Saved reply");
        return respondPage(c, <DeleteSavedReplyPage page={page} reply={reply} />);
      }
      if (action === "delete") await deleteSavedReply(mailbox, id);
      else if (action === "update") await updateSavedReply(mailbox, id, inputOf(SavedReplyIn)(fields));
      else if (action === "create") await createSavedReply(caller, mailbox, inputOf(SavedReplyIn)(fields));
      else throw badRequest("The form has no known action");
      return settingsPath(mailbox.id, "saved-replies", { done: action });
    }),
  );

async function show(c: AppContext) {
  const page = await openPage(c);
  const replies = await page.mailbox.store.listSavedReplies();
  return respondPage(c, <SavedRepliesPage page={page} replies={replies} />, { notices });
}
