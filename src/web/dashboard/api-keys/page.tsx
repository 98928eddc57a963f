import { scopes } from "../../../access/accounts/scopes.ts";
import type { CallerCtx } from "../../../access/caller.ts";
import { ButtonLink, Dialog, Facts, Field, Form, Layout, Notice, toSentence } from "../../../http/ui/index.ts";
import type { ApiKeyRow, NewApiKeyOut } from "../../../identity/api-keys/index.ts";
import { type Access, type KeyForm, lifetimes } from "./form.ts";
import { ApiKeyTable } from "./table.tsx";

interface ApiKeysPageProps {
  caller: CallerCtx;
  keys: readonly ApiKeyRow[];
  /** Domains that a key can be restricted to. */
  domains: readonly { id: string; name: string }[];
  form: KeyForm;
  /** Query string of the next page; null: this is the last one. */
  next: string | null;
  notice?: string | undefined;
  error?: string | undefined;
  /** True when the error is about the form that creates a key. */
  isCreation: boolean;
}

/** The API keys of the workspace, and the dialog that creates one. */
export function ApiKeysPage({ caller, keys, domains, form, next, notice, error, isCreation }: ApiKeysPageProps) {
  const mayCreate = caller.actor.scopes.has("team:manage");
  return (
    <Layout
      title="API keys"
      caller={caller}
      actions={
        mayCreate ? (
          <Dialog label="New API key" icon="plus" isOpen={isCreation}>
            {isCreation ? <Notice kind="bad">{error}.</Notice> : null}
            <CreateForm {...{ caller, domains, form }} />
          </Dialog>
        ) : null
      }
      notice={notice}
    >
      {error === undefined || isCreation ? null : <Notice kind="bad">{error}.</Notice>}
      <ApiKeyTable caller={caller} keys={keys} />
      {next === null ? null : (
        <p>
          <a href={`/app/api-keys${next}`}>Older keys</a>
        </p>
      )}
      {mayCreate ? null : <p>Only owners and admins of the workspace may create keys.</p>}
    </Layout>
  );
}

function CreateForm({ caller, domains, form }: Pick<ApiKeysPageProps, "caller" | "domains" | "form">) {
  const grantable = Object.entries(scopes).filter(([scope]) => (caller.actor.scopes as Set<string>).has(scope));
  return (
    <Form action="/app/api-keys" once={form.idempotencyKey}>
      <Field
        name="name"
        label="Name"
        hint="Where the key is used, such as “Shop server”."
        value={form.name}
        maxlength={100}
      />
      <div class="field">
        <label for="days">Expires</label>
        <select id="days" name="days">
          {lifetimes.map(({ days, label }) => (
            <option value={days} selected={days === form.days}>
              {label}
            </option>
          ))}
        </select>
      </div>
      <fieldset class="access">
        <legend>Access</legend>
        <AccessChoice
          access="sending"
          form={form}
          title="Sending only"
          text="Send, schedule, cancel and retry emails."
        />
        <AccessChoice access="full" form={form} title="Full" text="Everything that your role allows, now and later." />
        <AccessChoice access="custom" form={form} title="Custom" text="Choose for each resource." />
        <Grid grantable={grantable} form={form} />
      </fieldset>
      {domains.length < 2 && form.domainIds.length === 0 ? null : (
        <details open={form.domainIds.length > 0}>
          <summary>Restrict the key to domains</summary>
          <fieldset>
            <legend>Domains</legend>
            {domains.map(({ id, name }) => (
              <label class="choice">
                <input type="checkbox" name="domain" value={id} checked={form.domainIds.includes(id)} />
                <span>{name}</span>
              </label>
            ))}
          </fieldset>
        </details>
      )}
      <button type="submit">Create key</button>
    </Form>
  );
}

interface AccessChoiceProps {
  access: Access;
  form: KeyForm;
  title: string;
  text: string;
}

const AccessChoice = ({ access, form, title, text }: AccessChoiceProps) => (
  <label class="choice">
    <input type="radio" name="access" value={access} checked={form.access === access} />
    <span>
      <strong>{title}</strong> <span class="soft">{text}</span>
    </span>
  </label>
);

/** The scopes of custom access: a row for each resource. Its style shows it once "Custom" is chosen. */
function Grid({ grantable, form }: { grantable: readonly (readonly [string, string])[]; form: KeyForm }) {
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
                checked={form.scopes.includes(scope)}
              />
              <span>{toSentence(scope.split(":")[1] ?? "")}</span>
            </label>
          ))}
        </div>
      ))}
    </div>
  );
}

interface CreatedKeyPageProps {
  caller: CallerCtx;
  created: NewApiKeyOut;
  /** True when it replaces another key. */
  isSuccessor?: boolean;
}

/** The response to the form: the only page that shows the key. */
export const CreatedKeyPage = ({ caller, created, isSuccessor = false }: CreatedKeyPageProps) => (
  <Layout title="Your new API key" caller={caller} at="API keys">
    <Notice kind="warn">
      Copy the key now. It is not shown again.
      {isSuccessor ? " The old key works for 24 hours more, or until you revoke it." : ""}
    </Notice>
    <Facts of={{ Name: created.name, Key: { code: created.key, copy: "the key" } }} />
    <h2>Try it</h2>
    <p class="code" data-copy="" data-what="the command">
      {`curl ${caller.settings.publicUrl}/v1/me -H "Authorization: Bearer ${created.key}"`}
    </p>
    <p>
      <ButtonLink to="/app/api-keys" label="I have copied it" />
    </p>
  </Layout>
);
