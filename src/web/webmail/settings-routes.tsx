import { type AppContext, newRoutes } from "../../http/env.ts";
import { webmailFor } from "../../http/mailbox-page-session.ts";
import { respondPage } from "../../http/page.tsx";
import { parseFields, submitForm } from "../../http/page-routes.ts";
import { badRequest } from "../../lib/errors.ts";
import { blockSender, replaceSignature, SignatureIn, unblockSender } from "../../mailboxes/inbox/index.ts";
import {
  changeOwnPassword,
  PasswordChangeIn,
  PasswordIn,
  setMailboxPassword,
} from "../../mailboxes/mailboxes/index.ts";
import { BlockedSendersPage } from "./blocked-senders-page.tsx";
import { KeyboardPage } from "./keyboard-page.tsx";
import { openPage } from "./open-page.tsx";
import { PasswordPage } from "./password-page.tsx";
import { settingsPath } from "./paths.ts";
import { SignaturePage } from "./signature-page.tsx";

/** Greatest form of a signature, in bytes: its text and HTML, percent-encoded. */
const MAX_SIGNATURE_BYTES = 65_536;

const notices: Readonly<Record<string, string>> = {
  saved: "The signature is saved.",
  blocked: "The sender is blocked.",
  unblocked: "The sender is no longer blocked.",
  changed: "The password is changed.",
};

/** The pages of the signature, the blocked senders, the password and the keys of a mailbox. */
export const settingsPages = newRoutes()
  .get("/mail/signature/:mailbox_id", ...webmailFor("GET /v1/inbox/:mailbox_id/blocked-senders"), showSignature)
  .post("/mail/signature/:mailbox_id", ...webmailFor("PUT /v1/inbox/:mailbox_id/blocked-senders"), (c) =>
    submitForm(c, { show: showSignature, maxBytes: MAX_SIGNATURE_BYTES }, async (fields) => {
      const { mailbox } = await openPage(c);
      await replaceSignature(mailbox, parseFields(SignatureIn, readSignature(fields)));
      return settingsPath(mailbox.id, "signature", { done: "saved" });
    }),
  )
  .get("/mail/blocked-senders/:mailbox_id", ...webmailFor("GET /v1/inbox/:mailbox_id/blocked-senders"), showBlocked)
  .post("/mail/blocked-senders/:mailbox_id", ...webmailFor("PUT /v1/inbox/:mailbox_id/blocked-senders"), (c) =>
    submitForm(c, showBlocked, async (fields) => {
      const { mailbox } = await openPage(c);
      const action = fields.get("action");
      if (action !== "block" && action !== "unblock") throw badRequest("The form has no known action");
      await (action === "block" ? blockSender : unblockSender)(mailbox, fields.get("email") ?? "");
      return settingsPath(mailbox.id, "blocked-senders", { done: `${action}ed` });
    }),
  )
  .get("/mail/password/:mailbox_id", ...webmailFor("PUT /v1/mailboxes/:mailbox_id/password"), showPassword)
  .post("/mail/password/:mailbox_id", ...webmailFor("PUT /v1/mailboxes/:mailbox_id/password"), (c) =>
    submitForm(c, showPassword, async (form) => {
      const caller = c.get("caller");
      const { mailbox } = await openPage(c);
      const fields = Object.fromEntries(form);
      if (caller.actor.kind === "mailbox") await changeOwnPassword(caller, parseFields(PasswordChangeIn, fields));
      else await setMailboxPassword(caller, mailbox.id, parseFields(PasswordIn, fields).password);
      return settingsPath(mailbox.id, "password", { done: "changed" });
    }),
  )
  .get("/mail/keyboard/:mailbox_id", ...webmailFor("GET /v1/inbox/:mailbox_id/messages"), async (c) =>
    respondPage(c, <KeyboardPage page={await openPage(c)} />),
  );

const readSignature = (fields: URLSearchParams) => ({ text: fields.get("text") ?? "", html: fields.get("html") ?? "" });

async function showSignature(c: AppContext) {
  const page = await openPage(c);
  const fields = c.get("form");
  const signature = fields ? readSignature(fields) : await page.mailbox.store.signature();
  return respondPage(c, <SignaturePage page={page} signature={signature} />, { notices });
}

async function showBlocked(c: AppContext) {
  const page = await openPage(c);
  const emails = await page.mailbox.store.listBlockedSenders();
  return respondPage(c, <BlockedSendersPage page={page} emails={emails} />, { notices });
}

async function showPassword(c: AppContext) {
  const page = await openPage(c);
  return respondPage(c, <PasswordPage page={page} />, { notices });
}
