import { Field, Layout, Notice } from "../ui/index.ts";

/** The page that signs in to one mailbox. */
export const MailboxSignInPage = ({ email, error }: { email?: string; error?: string }) => (
  <Layout title="Sign in to webmail">
    {error === undefined ? null : <Notice kind="bad">{error}.</Notice>}
    <form method="post" action="/mail/sign-in">
      <Field
        name="email"
        label="Email address"
        type="email"
        autocomplete="username"
        maxlength={254}
        {...(email === undefined ? {} : { value: email })}
      />
      <Field name="password" label="Password" type="password" autocomplete="current-password" maxlength={256} />
      <button type="submit" class="wide">
        Sign in
      </button>
    </form>
  </Layout>
);

/** The page of a mailbox that is signed in. */
export const MailboxPage = ({ address }: { address: string }) => (
  <Layout title={address}>
    <p>
      You are signed in to the mailbox <strong>{address}</strong>.
    </p>
    <form method="post" action="/mail/sign-out">
      <button type="submit" class="quiet wide">
        Sign out
      </button>
    </form>
  </Layout>
);
