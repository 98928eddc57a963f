import type { Context } from "hono";
import { Hono } from "hono";
import type { AppEnv } from "../../http/env.ts";
import { readForm } from "../../http/fields.ts";
import { webmailFor } from "../../http/mailbox-page-session.ts";
import { respondPage } from "../../http/page.tsx";
import { parseFields, type Refusal, submitForm } from "../../http/page-form.ts";
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
import { openPage } from "./open-page.ts";
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
export const settingsPages = new Hono<AppEnv>()
  .get("/mail/signature/:mailbox_id", ...webmailFor("GET /v1/inbox/:mailbox_id/blocked-senders"), (c) =>
    showSignature(c),
  )
  .post("/mail/signature/:mailbox_id", ...webmailFor("PUT /v1/inbox/:mailbox_id/blocked-senders"), async (c) => {
    const { mailbox } = await openPage(c.get("caller"), c.req.param("mailbox_id"));
    const fields = await readForm(c, MAX_SIGNATURE_BYTES);
    const filled = { text: fields.get("text") ?? "", html: fields.get("html") ?? "" };
    const save = async () => {
      await replaceSignature(mailbox, parseFields(SignatureIn, filled));
      return settingsPath(mailbox.id, "signature", { done: "saved" });
    };
    return submitForm(c, save, (refusal) => showSignature(c, { refusal, filled }));
  })
  .get("/mail/blocked-senders/:mailbox_id", ...webmailFor("GET /v1/inbox/:mailbox_id/blocked-senders"), (c) =>
    showBlocked(c),
  )
  .post("/mail/blocked-senders/:mailbox_id", ...webmailFor("PUT /v1/inbox/:mailbox_id/blocked-senders"), async (c) => {
    const { mailbox } = await openPage(c.get("caller"), c.req.param("mailbox_id"));
    const fields = await readForm(c);
    const email = fields.get("email") ?? "";
    const change = async () => {
      const action = fields.get("action");
      if (action !== "block" && action !== "unblock") throw badRequest("The form has no known action");
      await (action === "block" ? blockSender : unblockSender)(mailbox, email);
      return settingsPath(mailbox.id, "blocked-senders", { done: `${action}ed` });
    };
    return submitForm(c, change, (refusal) => showBlocked(c, { refusal, email }));
  })
  .get("/mail/password/:mailbox_id", ...webmailFor("PUT /v1/mailboxes/:mailbox_id/password"), (c) => showPassword(c))
  .post("/mail/password/:mailbox_id", ...webmailFor("PUT /v1/mailboxes/:mailbox_id/password"), async (c) => {
    const caller = c.get("caller");
    const { mailbox } = await openPage(caller, c.req.param("mailbox_id"));
    const fields = Object.fromEntries(await readForm(c));
    const change = async () => {
      if (caller.actor.kind === "mailbox") await changeOwnPassword(caller, parseFields(PasswordChangeIn, fields));
      else await setMailboxPassword(caller, mailbox.id, parseFields(PasswordIn, fields).password);
      return settingsPath(mailbox.id, "password", { done: "changed" });
    };
    return submitForm(c, change, (refusal) => showPassword(c, refusal));
  })
  .get("/mail/keyboard/:mailbox_id", ...webmailFor("GET /v1/inbox/:mailbox_id/messages"), async (c) =>
    respondPage(c, <KeyboardPage page={await openPage(c.get("caller"), c.req.param("mailbox_id"))} />),
  );

const noticeOf = (c: Context<AppEnv>, refusal: Refusal | undefined) =>
  refusal ? undefined : notices[c.req.query("done") ?? ""];

async function showSignature(
  c: Context<AppEnv>,
  { refusal, filled }: { refusal?: Refusal; filled?: { text: string; html: string } } = {},
) {
  const page = await openPage(c.get("caller"), c.req.param("mailbox_id"));
  const signature = filled ?? (await page.mailbox.store.signature());
  const shown = <SignaturePage {...{ page, signature, refusal }} notice={noticeOf(c, refusal)} />;
  return respondPage(c, shown, { status: refusal?.status ?? 200 });
}

async function showBlocked(c: Context<AppEnv>, { refusal, email }: { refusal?: Refusal; email?: string } = {}) {
  const page = await openPage(c.get("caller"), c.req.param("mailbox_id"));
  const emails = await page.mailbox.store.listBlockedSenders();
  const shown = <BlockedSendersPage {...{ page, emails, refusal }} filled={email} notice={noticeOf(c, refusal)} />;
  return respondPage(c, shown, { status: refusal?.status ?? 200 });
}

async function showPassword(c: Context<AppEnv>, refusal?: Refusal) {
  const page = await openPage(c.get("caller"), c.req.param("mailbox_id"));
  const shown = <PasswordPage {...{ page, refusal }} notice={noticeOf(c, refusal)} />;
  return respondPage(c, shown, { status: refusal?.status ?? 200 });
}
