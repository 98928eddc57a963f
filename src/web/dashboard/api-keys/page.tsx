import { scopes } from "../../../access/accounts/scopes.ts";
import {
  AppLayout,
  ButtonLine,
  Check,
  Code,
  Facts,
  Field,
  FormDialog,
  Notice,
  RefusalNotice,
  Select,
  toSentence,
  useCaller,
  useChecked,
  useScope,
  useValue,
} from "../../../http/ui/index.ts";
import type { ApiKeyRow, NewApiKeyOut } from "../../../identity/api-keys/index.ts";
import { type Access, lifetimes } from "./form.ts";
import { ApiKeyTable } from "./table.tsx";

interface ApiKeysPageProps {
  keys: readonly ApiKeyRow[];
  /** Domains that a key can be restricted to. */
  domains: readonly { id: string; name: string }[];
}

/** The API keys of the workspace, and the dialog that creates one. */
export function ApiKeysPage({ keys, domains }: ApiKeysPageProps) {
  const mayCreate = useScope("team:manage");
  return (
    <AppLayout title="API keys" actions={mayCreate ? <CreateDialog domains={domains} /> : null}>
      <RefusalNotice />
      <ApiKeyTable keys={keys} />
      {mayCreate ? null : <p>Only owners and admins of the workspace may create keys.</p>}
    </AppLayout>
  );
}

const CreateDialog = ({ domains }: Pick<ApiKeysPageProps, "domains">) => (
  <FormDialog label="New API key" icon="plus" action="/app/api-keys" once button="Create key">
    <Field name="name" label="Name" hint="Where the key is used, such as “Shop server”." maxlength={100} />
    <Select name="days" label="Expires" options={lifetimes} value="" />
    <fieldset class="access">
      <legend>Access</legend>
      <AccessChoice access="sending" title="Sending only" text="Send, schedule, cancel and retry emails." />
      <AccessChoice access="full" title="Full" text="Everything that your role allows, now and later." />
      <AccessChoice access="custom" title="Custom" text="Choose for each resource." />
      <Grid />
    </fieldset>
    <DomainChoice domains={domains} />
  </FormDialog>
);

function DomainChoice({ domains }: Pick<ApiKeysPageProps, "domains">) {
  const isRestricted = useValue("domain", "") !== "";
  return domains.length < 2 && !isRestricted ? null : (
    <details open={isRestricted}>
      <summary>Restrict the key to domains</summary>
      <fieldset>
        <legend>Domains</legend>
        {domains.map(({ id, name }) => (
          <Check name="domain" value={id} label={name} />
        ))}
      </fieldset>
    </details>
  );
}

const AccessChoice = ({ access, title, text }: { access: Access; title: string; text: string }) => (
  <label class="choice">
    <input type="radio" name="access" value={access} checked={useValue("access", "sending") === access} />
    <span>
      <strong>{title}</strong> <span class="soft">{text}</span>
    </span>
  </label>
);

/** The scopes of custom access: a row for each resource. Its style shows it once "Custom" is chosen. */
function Grid() {
  const caller = useCaller();
  const grantable = Object.entries(scopes).filter(([scope]) => (caller.actor.scopes as Set<string>).has(scope));
  const resources = Map.groupBy(grantable, ([scope]) => scope.split(":")[0] ?? "");
  return (
    <div class="custom">
      {[...resources].map(([resource, found]) => (
        <div class="row">
          <span>{resource === "smtp" ? "SMTP" : toSentence(resource)}</span>
          {found.map(([scope, text]) => (
            <label class="choice" title={text}>
              <input
                type="checkbox"
                aria-label={text}
                name="scope"
                value={scope}
                checked={useChecked("scope", scope, false)}
              />
              <span>{toSentence(scope.split(":")[1] ?? "")}</span>
            </label>
          ))}
        </div>
      ))}
    </div>
  );
}

/** The response to the form: the only page that shows the key. A successor replaces another one. */
export const CreatedKeyPage = ({ created, isSuccessor = false }: { created: NewApiKeyOut; isSuccessor?: boolean }) => (
  <AppLayout title="Your new API key">
    <Notice kind="warn">
      Copy the key now. It is not shown again.
      {isSuccessor ? " The old key works for 24 hours more, or until you revoke it." : ""}
    </Notice>
    <Facts of={{ Name: created.name, Key: { code: created.key, copy: "the key" } }} />
    <h2>Try it</h2>
    <Code
      label="The command"
      text={`curl ${useCaller().settings.publicUrl}/v1/me \\\n  -H "Authorization: Bearer ${created.key}"`}
    />
    <ButtonLine to="/app/api-keys" label="I have copied it" />
  </AppLayout>
);
