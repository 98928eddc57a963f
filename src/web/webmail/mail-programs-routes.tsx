import { type AppContext, newRoutes } from "../../http/env.ts";
import { inputOf } from "../../http/form-input.ts";
import { webmailFor } from "../../http/mailbox-page-session.ts";
import { respondPage } from "../../http/page.tsx";
import { onceForForm, submitForm } from "../../http/page-routes.ts";
import { ButtonLine, Empty, Facts, Field, Form, Notice, Submit, Time } from "../../http/ui/index.ts";
import { badRequest } from "../../lib/errors.ts";
import {
  AppPasswordForm,
  type AppPasswordRow,
  createAppPassword,
  deleteAppPassword,
  findOfMailboxStatement,
  MAX_NAME_CHARACTERS,
  type NewAppPasswordOut,
  requireRight,
} from "../../mailboxes/app-passwords/index.ts";
import { PROFILE_PATH } from "../../mailboxes/mail-programs/index.ts";
import { budgetOf } from "../../platform/budgets/spent.ts";
import { type MailServer, mailServers } from "../../platform/settings/mail-servers.ts";
import type { OpenPage } from "./layout.tsx";
import { openPage, openPageWith } from "./open-page.tsx";
import { settingsPath } from "./paths.ts";
import { SettingsLayout } from "./settings-layout.tsx";

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

interface MailProgramsPageProps {
  page: OpenPage;
  passwords: readonly AppPasswordRow[];
}

const MailProgramsPage = ({ page, passwords }: MailProgramsPageProps) => (
  <SettingsLayout page={page} at="mail-programs">
    <Servers page={page} />
    <section aria-labelledby="app-passwords">
      <h3 id="app-passwords">App passwords</h3>
      <p class="hint">
        A password for one program or device. It opens this mailbox by IMAP and sends from its address, and can be
        deleted without the others. It does not open webmail.
      </p>
      {passwords.length === 0 ? (
        <Empty>No app password yet.</Empty>
      ) : (
        <ul class="addresses">
          {passwords.map((password) => (
            <AppPassword {...password} />
          ))}
        </ul>
      )}
      {passwords.length < budgetOf("app_passwords").rows ? (
        <NewPassword page={page} />
      ) : (
        <p>The mailbox has {budgetOf("app_passwords").rows} app passwords, which is the limit.</p>
      )}
    </section>
  </SettingsLayout>
);

/** The servers, for programs that do not find them by themselves. */
function Servers({ page: { caller, mailbox } }: Pick<MailProgramsPageProps, "page">) {
  const servers = mailServers(caller.settings);
  if (servers.length === 0) return null;
  const of = (protocol: MailServer["protocol"]) =>
    servers
      .filter((server) => server.protocol === protocol)
      .map(({ host, port, security }) => `${host}, port ${port}, ${SECURITY[security]}`)
      .join(" or ");
  const profile = `${PROFILE_PATH}?${new URLSearchParams({ emailaddress: mailbox.address })}`;
  return (
    <section aria-labelledby="servers">
      <h3 id="servers">Use it in your mail program</h3>
      <p class="hint">
        Thunderbird and others find the servers by your address. In Mail on iPhone, iPad and Mac, install the{" "}
        <a href={profile}>profile for Apple Mail</a>, which has no password.
      </p>
      <Facts
        of={{
          "User name": { code: mailbox.address, copy: "the user name" },
          Password: "An app password, or that of the mailbox",
          "Incoming mail (IMAP)": of("imap"),
          "Outgoing mail (SMTP)": of("smtp"),
        }}
      />
    </section>
  );
}

const SECURITY: Readonly<Record<MailServer["security"], string>> = { tls: "SSL/TLS", starttls: "STARTTLS" };

const AppPassword = ({ id, name, createdAt, lastUsedAt, maker }: AppPasswordRow) => (
  <li>
    <span>
      {name}{" "}
      <span class="soft">
        created <Time at={createdAt} />
        {maker === null ? "" : ` by ${maker}`}, {lastUsedAt === null ? "never used" : "last used "}
        {lastUsedAt === null ? null : <Time at={lastUsedAt} />}
      </span>
    </span>
    <Form class="inline" fields={{ id }}>
      <Submit label="Delete" kind="danger" action="delete" name={`Delete ${name}`} />
    </Form>
  </li>
);

const NewPassword = ({ page }: Pick<MailProgramsPageProps, "page">) => (
  <Form class="form" once>
    <Field
      name="name"
      label="Name of the program or device"
      maxlength={MAX_NAME_CHARACTERS}
      placeholder="Thunderbird on the laptop"
    />
    {page.caller.actor.kind === "mailbox" ? (
      <Field
        name="current"
        label="Current password of the mailbox"
        type="password"
        maxlength={256}
        autocomplete="current-password"
      />
    ) : null}
    <Submit label="Create app password" action="create" />
  </Form>
);

/** The response to the form: the only page that shows an app password. */
const CreatedAppPasswordPage = ({ page, created }: { page: OpenPage; created: NewAppPasswordOut }) => (
  <SettingsLayout page={page} at="mail-programs">
    <Notice kind="warn">Copy the password now. It is not shown again.</Notice>
    <Facts
      of={{
        Name: created.name,
        "User name": { code: page.mailbox.address, copy: "the user name" },
        Password: { code: created.password, copy: "the password" },
      }}
    />
    <ButtonLine to={settingsPath(page.mailbox.id, "mail-programs")} label="I have copied it" />
  </SettingsLayout>
);
