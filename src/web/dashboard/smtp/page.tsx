import type { CallerCtx } from "../../../access/caller.ts";
import type { Refusal } from "../../../http/page-form.ts";
import {
  ButtonLink,
  Code,
  Dialog,
  Empty,
  Facts,
  Form,
  Layout,
  List,
  Notice,
  Pager,
  Select,
  Status,
  Time,
} from "../../../http/ui/index.ts";
import type { NewSmtpCredentialOut, SmtpCredentialOut } from "../../../sending/smtp-credentials/index.ts";
import { curlLine } from "../curl-line.ts";
import { snippetsOf } from "./snippets.ts";

interface SmtpPageProps {
  caller: CallerCtx;
  credentials: readonly SmtpCredentialOut[];
  /** Verified domains, for the choice of the form. */
  domains: readonly { id: string; name: string }[];
  idempotencyKey: string;
  next: string | null;
  notice?: string | undefined;
  refusal?: Refusal | undefined;
}

/** The SMTP credentials of the workspace, and the dialog that creates one. */
export function SmtpPage({ caller, credentials, domains, idempotencyKey, next, notice, refusal }: SmtpPageProps) {
  const mayManage = caller.actor.scopes.has("smtp:manage");
  const { settings } = caller;
  return (
    <Layout
      title="SMTP"
      caller={caller}
      at="/app/smtp"
      actions={mayManage && domains.length > 0 ? <CreateDialog {...{ domains, idempotencyKey, refusal }} /> : null}
      notice={notice}
    >
      <p>Programs that speak SMTP send with these settings, and with the username and password of a credential.</p>
      <Facts
        of={{
          Server: { code: settings.smtpHost, copy: "the server" },
          Port: { code: settings.smtpPort },
          Encryption: "STARTTLS (some programs say TLS); the connection is refused without it",
          Authentication: "Username and password, PLAIN or LOGIN",
          Sender: "The address of an active mailbox on the domain of the credential",
        }}
      />
      {credentials.length === 0 ? (
        <Empty drawing="plug" command={curlLine(caller, "/v1/smtp-credentials/", { domain_id: "DOMAIN_ID" })}>
          No SMTP credential yet. A verified domain can have one.
        </Empty>
      ) : (
        <List
          caption="SMTP credentials"
          columns={["Username", "Status", "Created", ...(mayManage ? ["Action"] : [])]}
          rows={credentials.map(({ id, username, is_active, created_at }) => [
            <span class="code">{username}</span>,
            <Status word={is_active ? "active" : "deactivated"} />,
            <Time at={created_at} />,
            ...(mayManage && is_active
              ? [
                  <a class="action" href={`/app/smtp/${id}/deactivate`} aria-label={`Deactivate ${username}`}>
                    Deactivate
                  </a>,
                ]
              : mayManage
                ? [null]
                : []),
          ])}
        />
      )}
      <Pager next={next} />
    </Layout>
  );
}

const CreateDialog = ({
  domains,
  idempotencyKey,
  refusal,
}: Pick<SmtpPageProps, "domains" | "idempotencyKey" | "refusal">) => (
  <Dialog label="New credential" icon="plus" isOpen={refusal !== undefined}>
    <Form action="/app/smtp" once={idempotencyKey} refusal={refusal}>
      <Select
        name="domain_id"
        label="Domain"
        options={domains.map(({ id, name }) => ({ value: id, label: name }))}
        errors={refusal?.errors}
      />
      <button type="submit">Create credential</button>
    </Form>
  </Dialog>
);

/** The response to the form: the only page that shows the password. */
export const CreatedSmtpPage = ({ caller, created }: { caller: CallerCtx; created: NewSmtpCredentialOut }) => (
  <Layout title="Your new SMTP credential" caller={caller} at="/app/smtp">
    <Notice kind="warn">Copy the password now. It is not shown again.</Notice>
    <Facts
      of={{
        Host: { code: created.smtp_host },
        Port: { code: created.smtp_port },
        Username: { code: created.username, copy: "the username" },
        Password: { code: created.password, copy: "the password" },
      }}
    />
    <p>
      <ButtonLink to="/app/smtp" label="I have copied it" />
    </p>
    <Snippets created={created} />
  </Layout>
);

/** Programs that send by the credential; the password stays out of them. */
const Snippets = ({ created: { smtp_host: host, smtp_port: port, username } }: { created: NewSmtpCredentialOut }) => (
  <>
    <h2>Use it</h2>
    {Object.entries(snippetsOf(host, port, username)).map(([name, code]) => (
      <details>
        <summary>{name}</summary>
        <Code label={name} text={code} />
      </details>
    ))}
  </>
);
