import { ButtonLine, Field, Form, Layout, LinkLine, Notice } from "../../http/ui/index.ts";
import { type Provider, providerNames } from "./linked-accounts/index.ts";

interface SignInPageProps {
  next: string;
  providers: readonly Provider[];
  email?: string;
  error?: string;
}

/** The page that offers every way to sign in. */
export const signInPage = ({ next, providers, email, error }: SignInPageProps) => (
  <Layout title="Sign in">
    {error === undefined ? null : <Notice kind="bad">{error}</Notice>}
    <Form action="/auth/magic-link" fields={{ next }}>
      <Field
        name="email"
        label="Email address"
        type="email"
        autocomplete="email"
        value={email}
        maxlength={254}
        hint="We send you a link that signs you in. No password is needed."
      />
      <button type="submit" class="wide">
        Email me a link
      </button>
    </Form>
    {providers.length === 0 ? null : (
      <div class="stack">
        {providers.map((provider) => (
          <a class="button quiet wide" href={`/auth/${provider}?${new URLSearchParams({ next })}`}>
            Continue with {providerNames[provider]}
          </a>
        ))}
      </div>
    )}
  </Layout>
);

/** The page after a link was requested. It says the same whether the address has an account or not. `isOpen`: a link makes one. */
export const linkSentPage = ({ email, isOpen }: { email: string; isOpen: boolean }) => (
  <Layout title="Check your email">
    <p>
      {isOpen ? (
        <>
          A sign-in link to <strong>{email}</strong> is on its way.
        </>
      ) : (
        <>
          If <strong>{email}</strong> has an account, a sign-in link is on its way.
        </>
      )}{" "}
      It works once, within 15 minutes.
    </p>
    <LinkLine to="/auth/sign-in" label="Use another address" />
  </Layout>
);

/** The page of a sign-in link. Only its button redeems the link. */
export const magicLinkPage = ({ email }: { email: string }) => (
  <Layout title="Sign in">
    <Form>
      <button type="submit" class="wide">
        Sign in as {email}
      </button>
    </Form>
  </Layout>
);

export const invalidSignInPage = () => (
  <Layout title="This link does not work">
    <p>The link was used before, or it is older than 15 minutes.</p>
    <ButtonLine to="/auth/sign-in" label="Get a new link" />
  </Layout>
);

/** The page for a person without an account, where sign-up needs an invitation. */
export const refusedPage = () => (
  <Layout title="No account">
    <p>There is no account with a workspace for this address. Ask an owner of your workspace for an invitation.</p>
    <LinkLine to="/auth/sign-in" label="Use another address" />
  </Layout>
);

/** The page that asks for the second factor. */
export const secondFactorPage = ({ error }: { error?: string }) => (
  <Layout title="Two-factor authentication">
    {error === undefined ? null : <Notice kind="bad">{error}</Notice>}
    <Form action="/auth/totp">
      <Field
        name="code"
        label="Code"
        autocomplete="one-time-code"
        maxlength={30}
        hint="The six digits of your authenticator app, or one of your recovery codes."
      />
      <button type="submit" class="wide">
        Sign in
      </button>
    </Form>
    <LinkLine to="/auth/sign-in" label="Start again" />
  </Layout>
);
