import { type AppContext, newRoutes } from "../../http/env.ts";
import { webmailFor } from "../../http/mailbox-page-session.ts";
import { respondPage } from "../../http/page.tsx";
import { parseFields, submitForm } from "../../http/page-routes.ts";
import { Empty, Field, Form, Submit } from "../../http/ui/index.ts";
import { badRequest } from "../../lib/errors.ts";
import { blockSender, replaceSignature, SignatureIn, unblockSender } from "../../mailboxes/inbox/index.ts";
import type { Signature } from "../../mailboxes/mailbox-store/index.ts";
import {
  changeOwnPassword,
  PasswordChangeIn,
  PasswordIn,
  setMailboxPassword,
} from "../../mailboxes/mailboxes/index.ts";
import type { OpenPage } from "./layout.tsx";
import { openPage } from "./open-page.tsx";
import { settingsPath } from "./paths.ts";
import { RichText } from "./rich-text.tsx";
import { SettingsLayout } from "./settings-layout.tsx";

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

const SignaturePage = ({ page, signature }: { page: OpenPage; signature: Signature | null }) => (
  <SettingsLayout page={page} at="signature">
    <p class="hint">
      It is below each new message, and in a reply above the text that you quote. Leave it empty to have none.
    </p>
    <Form>
      <RichText
        label="Signature"
        text={signature?.text ?? ""}
        html={signature?.html ?? ""}
        rows={6}
        format={signature === null ? "" : signature.html ? "rich" : "plain"}
        required={false}
      />
      <button type="submit">Save signature</button>
    </Form>
  </SettingsLayout>
);

const BlockedSendersPage = ({ page, emails }: { page: OpenPage; emails: readonly string[] }) => (
  <SettingsLayout page={page} at="blocked-senders">
    <p class="hint">Mail from these addresses goes to Spam. The senders do not notice.</p>
    <Form class="filter">
      <Field name="email" label="Address to block" type="email" maxlength={254} placeholder="ada@example.org" />
      <Submit label="Block" action="block" />
    </Form>
    {emails.length === 0 ? (
      <Empty>No address is blocked.</Empty>
    ) : (
      <ul class="addresses">
        {emails.map((email) => (
          <li>
            {email}
            <Form class="inline" fields={{ email }}>
              <Submit label="Unblock" kind="link" action="unblock" name={`Unblock ${email}`} />
            </Form>
          </li>
        ))}
      </ul>
    )}
  </SettingsLayout>
);

/** The page that changes the password of a mailbox. Only a session that began with the password is asked for it. */
const PasswordPage = ({ page }: { page: OpenPage }) => {
  const isOwn = page.caller.actor.kind === "mailbox";
  return (
    <SettingsLayout page={page} at="password">
      <p class="hint">
        {isOwn
          ? "All other devices are signed out of this mailbox. This one stays signed in, and app passwords stay valid."
          : "Everyone who is signed in to this mailbox by its password is signed out, and its app passwords are deleted."}
      </p>
      <Form class="form">
        <input type="hidden" name="username" value={page.mailbox.address} autocomplete="username" />
        {isOwn ? (
          <Field
            name="current"
            label="Current password"
            type="password"
            maxlength={256}
            autocomplete="current-password"
          />
        ) : null}
        <Field
          name="password"
          label="New password"
          type="password"
          maxlength={256}
          autocomplete="new-password"
          hint="At least 12 characters"
        />
        <button type="submit">Change password</button>
      </Form>
    </SettingsLayout>
  );
};

/** The page of the keys of webmail. The script writes them, since only it listens for them (client/keys.ts). */
const KeyboardPage = ({ page }: { page: OpenPage }) => (
  <SettingsLayout page={page} at="keyboard">
    <p class="hint">The keys act on the message that has the focus. In a text they are letters.</p>
    <div data-key-help="" />
    <noscript>
      <p>The keys need scripts, which this browser does not run.</p>
    </noscript>
  </SettingsLayout>
);
