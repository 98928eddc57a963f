import {
  ActionLink,
  AppLayout,
  ButtonLine,
  Code,
  Empty,
  Facts,
  FormDialog,
  List,
  Notice,
  Select,
  Status,
  Time,
  useCaller,
  useScope,
} from "../../../http/ui/index.ts";
import type { NewSmtpCredentialOut, SmtpCredentialOut } from "../../../sending/smtp-credentials/index.ts";
import { snippetsOf } from "./snippets.ts";

interface SmtpPageProps {
  credentials: readonly SmtpCredentialOut[];
  /** Verified domains, for the choice of the form. */
  domains: readonly { id: string; name: string }[];
}

/** The SMTP credentials of the workspace, and the dialog that creates one. */
export function SmtpPage({ credentials, domains }: SmtpPageProps) {
  const { settings } = useCaller();
  const mayManage = useScope("smtp:manage");
  return (
    <AppLayout title="SMTP" actions={mayManage && domains.length > 0 ? <CreateDialog domains={domains} /> : null}>
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
      <List
        caption="SMTP credentials"
        columns={["Username", "Status", "Created", mayManage && "Action"]}
        empty={
          <Empty drawing="plug" command={{ path: "/v1/smtp-credentials/", body: { domain_id: "DOMAIN_ID" } }}>
            No SMTP credential yet. A verified domain can have one.
          </Empty>
        }
        rows={credentials.map(({ id, username, is_active, created_at }) => [
          <span class="code">{username}</span>,
          <Status word={is_active ? "active" : "deactivated"} />,
          <Time at={created_at} />,
          is_active ? (
            <ActionLink to={`/app/smtp/${id}/deactivate`} label="Deactivate" name={`Deactivate ${username}`} />
          ) : null,
        ])}
      />
    </AppLayout>
  );
}

const CreateDialog = ({ domains }: Pick<SmtpPageProps, "domains">) => (
  <FormDialog label="New credential" icon="plus" action="/app/smtp" once button="Create credential">
    <Select name="domain_id" label="Domain" options={domains.map(({ id, name }) => ({ value: id, label: name }))} />
  </FormDialog>
);

/** The response to the form: the only page that shows the password. */
export const CreatedSmtpPage = ({ created }: { created: NewSmtpCredentialOut }) => (
  <AppLayout title="Your new SMTP credential">
    <Notice kind="warn">Copy the password now. It is not shown again.</Notice>
    <Facts
      of={{
        Host: { code: created.smtp_host },
        Port: { code: created.smtp_port },
        Username: { code: created.username, copy: "the username" },
        Password: { code: created.password, copy: "the password" },
      }}
    />
    <ButtonLine to="/app/smtp" label="I have copied it" />
    <Snippets created={created} />
  </AppLayout>
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
