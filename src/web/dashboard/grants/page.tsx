import { type Scope, scopes } from "../../../access/accounts/scopes.ts";
import { ActionLink, AppLayout, Empty, List, Time } from "../../../http/ui/index.ts";
import type { GrantRow } from "../../../identity/oauth/index.ts";

/** The programs that may act for the user, in all workspaces. */
export const GrantsPage = ({ grants }: { grants: readonly GrantRow[] }) => (
  <AppLayout title="Connected programs">
    <p>These programs, such as assistants, act for you until you disconnect them.</p>
    <List
      caption="Connected programs"
      empty={<Empty drawing="plug">No program is connected.</Empty>}
      columns={["Program", "Workspace", "It may", "Connected", "Last use", "Action"]}
      rows={grants.map((grant) => [
        clientName(grant),
        grant.workspace_name,
        (JSON.parse(grant.scopes) as Scope[]).map((scope) => scopes[scope] ?? scope).join(" "),
        <Time at={grant.created_at} />,
        grant.refreshed_at === null ? "Never" : <Time at={grant.refreshed_at} />,
        <ActionLink
          to={`/app/grants/${grant.id}/revoke`}
          label="Disconnect"
          name={`Disconnect ${clientName(grant)}`}
        />,
      ])}
    />
  </AppLayout>
);

/** Returns the name that a client gave itself. */
export const clientName = ({ client_name: name }: GrantRow) => name ?? "A client without a name";
