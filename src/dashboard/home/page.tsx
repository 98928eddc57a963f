import type { ApiKeyRow } from "../../api-keys/index.ts";
import type { CallerCtx } from "../../context.ts";
import type { GrantRow } from "../../oauth/index.ts";
import { Layout, Table } from "../../ui/index.ts";
import { ApiKeyTable } from "../api-keys/index.ts";
import { GrantTable } from "../grants/index.ts";
import { pageUser } from "../page-user.ts";
import type { OwnWorkspace } from "./queries.ts";

interface HomePageProps {
  caller: CallerCtx;
  workspaces: readonly OwnWorkspace[];
  /** The newest API keys. Null: the role may not see API keys. */
  apiKeys: readonly ApiKeyRow[] | null;
  /** The newest grants of the user. */
  grants: readonly GrantRow[];
}

/** The first page of the dashboard: who is signed in, the workspaces, API keys and connected programs. */
export function HomePage({ caller, workspaces, apiKeys, grants }: HomePageProps) {
  const { actor, workspace } = caller;
  return (
    <Layout title="Home" user={pageUser(caller)}>
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
      {apiKeys === null ? (
        <p>Your role does not show API keys.</p>
      ) : (
        <>
          <ApiKeyTable caller={caller} keys={apiKeys} />
          <p>
            <a href="/app/api-keys">All API keys</a>
          </p>
        </>
      )}
      <h2>Connected programs</h2>
      <GrantTable grants={grants} />
      <p>
        <a href="/app/grants">All connected programs</a>
      </p>
    </Layout>
  );
}

const SwitchForm = ({ id, name }: { id: string; name: string }) => (
  <form class="inline" method="post" action="/auth/workspace">
    <input type="hidden" name="org_id" value={id} />
    <button class="quiet" type="submit" aria-label={`Switch to ${name}`}>
      Switch
    </button>
  </form>
);
