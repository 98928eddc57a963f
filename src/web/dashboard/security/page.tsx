import type { SessionRow } from "../../../access/sessions/queries.ts";
import {
  ActionLink,
  AppLayout,
  ButtonLine,
  ButtonLink,
  Field,
  Form,
  LinkLine,
  List,
  Notice,
  PostButton,
  QrCode,
  RefusalNotice,
  Submit,
  Time,
  useCaller,
  useViewer,
} from "../../../http/ui/index.ts";
import { type LinkedAccountRow, providerNames, type TotpStatus } from "../../../identity/sign-ins/index.ts";
import { formatTime } from "../../../lib/local-time.ts";
import { browserName } from "./browser-name.ts";

interface SecurityPageProps {
  sessions: readonly SessionRow[];
  /** URL of the next page; null: this is the last one. */
  next: string | null;
  totp: TotpStatus;
  accounts: readonly LinkedAccountRow[];
}

/** Two-factor authentication, linked accounts and the sessions of the user. */
export const SecurityPage = ({ sessions, next, totp, accounts }: SecurityPageProps) => (
  <AppLayout title="Security">
    <RefusalNotice />
    <h2>Two-factor authentication</h2>
    {totp.enabled ? <DisableForm recoveryCodes={totp.recoveryCodes} /> : <SetupForm />}
    {accounts.length === 0 ? null : <LinkedAccounts accounts={accounts} />}
    <h2>Sessions</h2>
    <p>Devices signed in to your account. End a session that you do not recognise.</p>
    <SessionTable sessions={sessions} />
    <ButtonLine to="/app/security/sign-out" label="Sign out everywhere" kind="quiet" />
    {next === null ? null : <LinkLine to={next} label="Older sessions" />}
    <h2>Account</h2>
    <p>Your account ends with its sessions, API keys and memberships. You see first what is deleted.</p>
    <ButtonLine to="/app/security/delete" label="Delete account" kind="danger" />
  </AppLayout>
);

const LinkedAccounts = ({ accounts }: Pick<SecurityPageProps, "accounts">) => (
  <>
    <h2>Linked accounts</h2>
    <p>Whoever has one of these accounts signs in as you. One with your address is linked again when it is used.</p>
    <List
      caption="Linked accounts"
      columns={["Provider", "Address", "Linked", "Action"]}
      rows={accounts.map(({ provider, subject, email, createdAt }) => [
        providerNames[provider],
        email ?? "Unknown",
        <Time at={createdAt} />,
        <PostButton
          to={`/app/security/accounts/${provider}/${encodeURIComponent(subject)}/unlink`}
          label="Unlink"
          kind="danger"
          name={`Unlink ${email ?? subject} at ${providerNames[provider]}`}
        />,
      ])}
    />
  </>
);

const SetupForm = () => (
  <>
    <p>It is off. When it is on, signing in also asks for a code of an app on your phone.</p>
    <PostButton to="/app/security/totp/setup" label="Set up" />
  </>
);

const DisableForm = ({ recoveryCodes }: { recoveryCodes: number }) => (
  <>
    <p>
      It is on, and {recoveryCodes} recovery {recoveryCodes === 1 ? "code is" : "codes are"} left.
    </p>
    <Form class="form" action="/app/security/totp/disable">
      <CodeField hint="Of your app, or a recovery code." />
      <Submit label="Turn off" kind="danger" />
    </Form>
  </>
);

const CodeField = ({ hint }: { hint: string }) => (
  <Field name="code" label="Code" hint={hint} autocomplete="one-time-code" maxlength={64} />
);

function SessionTable({ sessions }: { sessions: readonly SessionRow[] }) {
  const caller = useCaller();
  const { zone } = useViewer();
  return (
    <List
      caption="Sessions"
      columns={["Browser", "Address", "Signed in", "Last use", "Action"]}
      rows={sessions.map(({ id, userAgent, ip, createdAt, refreshedAt }) => [
        <span title={userAgent ?? undefined}>{browserName(userAgent)}</span>,
        ip ?? "Unknown",
        <Time at={createdAt} />,
        <Time at={refreshedAt} />,
        id === caller.actor.credentialId ? (
          "This session"
        ) : (
          <ActionLink
            to={`/app/security/sessions/${id}/revoke`}
            label="End"
            name={`End session of ${formatTime(new Date(createdAt), zone)}`}
          />
        ),
      ])}
    />
  );
}

/** The page that shows a new TOTP secret, unless it was shown before a wrong code, and asks for a first code. */
export const TotpSetupPage = ({ secret }: { secret: { secret: string; otpauth_url: string } | null }) => (
  <AppLayout title="Set up two-factor authentication">
    <RefusalNotice />
    {secret === null ? (
      <p>Enter the code that your app shows now, or start again.</p>
    ) : (
      <>
        <p>Scan this code with an authenticator app, or add an account with the key below. Both are shown once.</p>
        <p>
          <QrCode text={secret.otpauth_url} label="QR code of the key" />
        </p>
        <p class="code" data-copy={secret.secret} data-what="the secret">
          {secret.secret.match(/.{1,4}/g)?.join(" ")}
        </p>
        <LinkLine to={secret.otpauth_url} label="Open in an app on this device" />
      </>
    )}
    <Form class="form" action="/app/security/totp/enable">
      <CodeField hint="The six digits that the app shows." />
      <Submit label="Turn on" />{" "}
      <ButtonLink to="/app/security" label={secret === null ? "Start again" : "Cancel"} kind="quiet" />
    </Form>
  </AppLayout>
);

/** The response to the first code: the only page that shows the recovery codes. */
export const RecoveryCodesPage = ({ codes }: { codes: readonly string[] }) => (
  <AppLayout title="Your recovery codes">
    <Notice kind="good">Two-factor authentication is on.</Notice>
    <p>
      Store these codes where you keep passwords. Each one signs you in once when you have lost your app. They are not
      shown again.
    </p>
    <section aria-label="Codes" data-copy={codes.join("\n")} data-what="the codes">
      <ul class="code">
        {codes.map((code) => (
          <li>{code}</li>
        ))}
      </ul>
    </section>
    <ButtonLine to="/app/security" label="I have stored them" />
  </AppLayout>
);
