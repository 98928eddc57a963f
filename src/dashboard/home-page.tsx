import type { Child } from "hono/jsx";
import type { ApiKeyRow } from "../api-keys/index.ts";
import type { CallerCtx } from "../context.ts";
import { iso } from "../lib/time.ts";
import { Layout } from "../ui/index.ts";
import type { OwnWorkspace } from "./queries.ts";

interface HomePageProps {
  caller: CallerCtx;
  workspaces: readonly OwnWorkspace[];
  /** Null: the role may not see API keys. */
  apiKeys: readonly ApiKeyRow[] | null;
}

/** The first page of the dashboard: who is signed in, the workspaces, and the API keys of the active one. */
export const homePage = ({ caller: { actor, workspace }, workspaces, apiKeys }: HomePageProps) => (
  <Layout title="Home" user={{ email: actor.email, workspace: workspace.name }}>
    {actor.restricted ? <p class="notice bad">This account is restricted. It cannot send email.</p> : null}
    {workspace.sendingPaused ? <p class="notice warn">Sending is paused in this workspace.</p> : null}
    <h2>You</h2>
    <dl class="facts">
      <dt>Email</dt>
      <dd>{actor.email}</dd>
      <dt>Name</dt>
      <dd>{actor.name ?? "Not set"}</dd>
      <dt>Role</dt>
      <dd>
        {actor.role} of {workspace.name}
      </dd>
    </dl>
    <h2>Workspaces</h2>
    <Table caption="Workspaces" columns={["Name", "Your role", "Action"]}>
      {workspaces.map(({ id, name, role }) => (
        <tr>
          <td>{name}</td>
          <td>{role}</td>
          <td>{id === workspace.id ? "Active" : <SwitchForm id={id} name={name} />}</td>
        </tr>
      ))}
    </Table>
    <h2>API keys of {workspace.name}</h2>
    <ApiKeys keys={apiKeys} />
  </Layout>
);

const SwitchForm = ({ id, name }: { id: string; name: string }) => (
  <form class="inline" method="post" action="/auth/workspace">
    <input type="hidden" name="org_id" value={id} />
    <button class="quiet" type="submit" aria-label={`Switch to ${name}`}>
      Switch
    </button>
  </form>
);

function ApiKeys({ keys }: { keys: readonly ApiKeyRow[] | null }) {
  if (keys === null) return <p>Your role does not show API keys.</p>;
  if (keys.length === 0)
    return (
      <p>
        There is no API key. Create one with <code>POST /v1/api-keys/</code>.
      </p>
    );
  return (
    <Table caption="API keys" columns={["Name", "Key", "Scopes", "Last use", "State"]}>
      {keys.map((key) => (
        <tr>
          <td>{key.name}</td>
          <td class="code">{key.prefix}…</td>
          <td>{key.scopes.join(", ")}</td>
          <td>{key.lastUsedAt === null ? "Never" : <Time at={key.lastUsedAt} />}</td>
          <td>{key.revokedAt === null ? "Active" : "Revoked"}</td>
        </tr>
      ))}
    </Table>
  );
}

const Time = ({ at }: { at: number }) => (
  <time dateTime={iso(at)}>
    {iso(at)
      .replace("T", " ")
      .replace(/:\d\d\.\d+Z$/, " UTC")}
  </time>
);

const Table = ({ caption, columns, children }: { caption: string; columns: readonly string[]; children?: Child }) => (
  <section class="table" aria-label={caption} tabindex={0}>
    <table>
      <thead>
        <tr>
          {columns.map((column) => (
            <th scope="col">{column}</th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </section>
);
