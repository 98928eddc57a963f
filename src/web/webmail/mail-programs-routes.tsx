import { type AppContext, newRoutes } from "../../http/env.ts";
import { inputOf } from "../../http/form-input.ts";
import { webmailFor } from "../../http/mailbox-page-session.ts";
import { respondPage } from "../../http/page.tsx";
import { onceForForm, submitForm } from "../../http/page-routes.ts";
import { badRequest } from "../../lib/errors.ts";
import {
  AppPasswordForm,
  type AppPasswordRow,
  createAppPassword,
  deleteAppPassword,
  findOfMailboxStatement,
  requireRight,
} from "../../mailboxes/app-passwords/index.ts";
import type { OpenPage } from "./layout.tsx";
import { CreatedAppPasswordPage, MailProgramsPage } from "./mail-programs-page.tsx";
import { openPage, openPageWith } from "./open-page.tsx";
import { settingsPath } from "./paths.ts";

/** The page of the mail programs of a mailbox. */
export const mailProgramPages = newRoutes()
  .get("/mail/mail-programs/:mailbox_id", ...webmailFor("GET /v1/mailboxes/:mailbox_id/app-passwords"), showPrograms)
  .post("/mail/mail-programs/:mailbox_id", ...webmailFor("POST /v1/mailboxes/:mailbox_id/app-passwords"), (c) =>
    submitForm(c, showPrograms, async (fields) => {
      const page = await openPage(c);
      const action = fields.get("action");
      if (action === "create") return createFrom(c, page, fields);
      if (action !== "delete") throw badRequest("The form has no known action");
      await deleteAppPassword(c.get("caller"), page.mailbox.id, fields.get("id") ?? "");
      return settingsPath(page.mailbox.id, "mail-programs", { done: "deleted" });
    }),
  );

async function createFrom(c: AppContext, page: OpenPage, fields: URLSearchParams) {
  const input = inputOf(AppPasswordForm, { current: (form) => form.get("current") ?? undefined })(fields);
  // Without the password, of which no hash is stored.
  const same = JSON.stringify([page.mailbox.id, input.name]);
  const created = await onceForForm(c, (ctx) => createAppPassword(ctx, page.mailbox.id, input), same);
  return respondPage(c, <CreatedAppPasswordPage page={page} created={created} />);
}

async function showPrograms(c: AppContext) {
  const caller = c.get("caller");
  const { page, rows: passwords } = await openPageWith<AppPasswordRow>(c, findOfMailboxStatement);
  requireRight(caller, page.mailbox.openedAs === null ? [caller.actor.userId] : [], "read");
  const notices = { deleted: "The app password is deleted." };
  return respondPage(c, <MailProgramsPage page={page} passwords={passwords} />, { notices });
}
