import { Field, Form, Layout, LinkLine, Notice, Submit } from "../../http/ui/index.ts";
import { folderPath } from "./paths.ts";

/** The page that signs in to one mailbox. */
export const MailboxSignInPage = ({ email, error }: { email: string; error?: string }) => (
  <Layout title="Sign in to webmail">
    {error === undefined ? null : <Notice kind="bad">{error}.</Notice>}
    <Form action="/mail/sign-in">
      <Field name="email" label="Email address" type="email" autocomplete="username" maxlength={254} value={email} />
      <Field name="password" label="Password" type="password" autocomplete="current-password" maxlength={256} />
      <Submit label="Sign in" kind="wide" />
    </Form>
  </Layout>
);

interface MailboxesPageProps {
  user: string;
  mailboxes: readonly { id: string; address: string }[];
}

/** The mailboxes that a user of the dashboard may open. */
export const MailboxesPage = ({ user, mailboxes }: MailboxesPageProps) => (
  <Layout title="Mailboxes">
    {mailboxes.length === 0 ? <p>No mailbox is assigned to {user}.</p> : null}
    <ul>
      {mailboxes.map(({ id, address }) => (
        <li>
          <a class="action" href={folderPath(id, "INBOX")}>
            {address}
          </a>
        </li>
      ))}
    </ul>
    <LinkLine to="/mail/sign-in" label="Sign in to a mailbox by its password" />
  </Layout>
);
