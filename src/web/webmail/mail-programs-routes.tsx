import type { Context } from "hono";
import { Hono } from "hono";
import type { AppEnv } from "../../http/env.ts";
import { readForm } from "../../http/fields.ts";
import { onceForForm } from "../../http/idempotency.ts";
import { webmailFor } from "../../http/mailbox-page-session.ts";
import { respondPage } from "../../http/page.tsx";
import { parseFields, type Refusal, submitForm } from "../../http/page-form.ts";
import { badRequest } from "../../lib/errors.ts";
import {
  AppPasswordForm,
  type AppPasswordRow,
  createAppPassword,
  deleteAppPassword,
  findOfMailboxStatement,
  requireRight,
} from "../../mailboxes/app-passwords/index.ts";
import { CreatedAppPasswordPage, MailProgramsPage } from "./mail-programs-page.tsx";
import { openPage, openPageWith } from "./open-page.ts";
import { settingsPath } from "./paths.ts";

const CREATE = "POST /v1/mailboxes/:mailbox_id/app-passwords";

/** The page of the mail programs of a mailbox. */
export const mailProgramPages = new Hono<AppEnv>()
  .get("/mail/mail-programs/:mailbox_id", ...webmailFor("GET /v1/mailboxes/:mailbox_id/app-passwords"), (c) =>
    showPrograms(c),
  )
  .post("/mail/mail-programs/:mailbox_id", ...webmailFor(CREATE), async (c) => {
    const page = await openPage(c.get("caller"), c.req.param("mailbox_id"));
    const form = await readForm(c);
    const change = async () => {
      const action = form.get("action");
      if (action === "create") return createFrom(c, page, form);
      if (action !== "delete") throw badRequest("The form has no known action");
      await deleteAppPassword(c.get("caller"), page.mailbox.id, form.get("id") ?? "");
      return settingsPath(page.mailbox.id, "mail-programs", { done: "deleted" });
    };
    return submitForm(c, change, (refusal) => showPrograms(c, { refusal, filled: form.get("name") ?? "" }));
  });

async function createFrom(c: Context<AppEnv>, page: Awaited<ReturnType<typeof openPage>>, form: URLSearchParams) {
  const input = parseFields(AppPasswordForm, {
    name: form.get("name") ?? "",
    current: form.get("current") ?? undefined,
  });
  const key = form.get("idempotency_key") ?? "";
  const fields = JSON.stringify([page.mailbox.id, input.name]);
  const created = await onceForForm(c, key, fields, (ctx) => createAppPassword(ctx, page.mailbox.id, input));
  return respondPage(c, <CreatedAppPasswordPage page={page} created={created} />);
}

async function showPrograms(c: Context<AppEnv>, { refusal, filled }: { refusal?: Refusal; filled?: string } = {}) {
  const caller = c.get("caller");
  const { page, rows: passwords } = await openPageWith<AppPasswordRow>(
    caller,
    c.req.param("mailbox_id") ?? "",
    (id) => [findOfMailboxStatement(caller, id)],
  );
  requireRight(caller, page.mailbox.openedAs === null ? [caller.actor.userId] : [], "read");
  const notice = !refusal && c.req.query("done") === "deleted" ? "The app password is deleted." : undefined;
  const idempotencyKey = crypto.randomUUID();
  const shown = <MailProgramsPage {...{ page, passwords, idempotencyKey, notice, refusal, filled }} />;
  return respondPage(c, shown, { status: refusal?.status ?? 200 });
}
