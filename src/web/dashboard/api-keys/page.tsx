import { scopes } from "../../../access/accounts/index.ts";
import type { CallerCtx } from "../../../access/caller.ts";
import { ButtonLink, Facts, Field, Layout, Notice } from "../../../http/ui/index.ts";
import type { ApiKeyRow, NewApiKeyOut } from "../../../identity/api-keys/index.ts";
import { type KeyForm, lifetimes } from "./form.ts";
import { ApiKeyTable } from "./table.tsx";

interface ApiKeysPageProps {
  caller: CallerCtx;
  keys: readonly ApiKeyRow[];
  form: KeyForm;
  /** Query string of the next page; null: this is the last one. */
  next: string | null;
  notice?: string | undefined;
  error?: string;
}

/** The API keys of the workspace, and the form that creates one. */
export function ApiKeysPage({ caller, keys, form, next, notice, error }: ApiKeysPageProps) {
  return (
    <Layout title="API keys" caller={caller} notice={notice}>
      {error === undefined ? null : <Notice kind="bad">{error}.</Notice>}
      <ApiKeyTable caller={caller} keys={keys} />
      {next === null ? null : (
        <p>
          <a href={`/app/api-keys${next}`}>Older keys</a>
        </p>
      )}
      <h2>Create an API key</h2>
      {caller.actor.scopes.has("team:manage") ? (
        <CreateForm caller={caller} form={form} />
      ) : (
        <p>Only owners and admins of the workspace may create keys.</p>
      )}
    </Layout>
  );
}

function CreateForm({ caller, form }: { caller: CallerCtx; form: KeyForm }) {
  const grantable = Object.entries(scopes).filter(([scope]) => (caller.actor.scopes as Set<string>).has(scope));
  return (
    <form class="form" method="post" action="/app/api-keys">
      <input type="hidden" name="idempotency_key" value={form.idempotencyKey} />
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
      <fieldset>
        <legend>Permissions</legend>
        <Permission scope="*" text="Everything that your role allows, now and later." form={form} />
        {grantable.map(([scope, text]) => (
          <Permission scope={scope} text={text} form={form} />
        ))}
      </fieldset>
      <button type="submit">Create key</button>
    </form>
  );
}

const Permission = ({ scope, text, form }: { scope: string; text: string; form: KeyForm }) => (
  <label class="choice">
    <input type="checkbox" name="scope" value={scope} checked={form.scopes.includes(scope)} />
    <span>{text}</span>
  </label>
);

/** The response to the form: the only page that shows the key. */
export const CreatedKeyPage = ({ caller, created }: { caller: CallerCtx; created: NewApiKeyOut }) => (
  <Layout title="Your new API key" caller={caller}>
    <Notice kind="warn">Copy the key now. It is not shown again.</Notice>
    <Facts of={{ Name: created.name, Key: { code: created.key, copy: "the key" } }} />
    <p>
      <ButtonLink to="/app/api-keys" label="I have copied it" />
    </p>
  </Layout>
);
