import { type Scope, scopes } from "../../../access/accounts/scopes.ts";
import { ActionLink, AppLayout, Empty, List, Time } from "../../../http/ui/index.ts";
import type { GrantRow } from "../../../identity/oauth/index.ts";

interface GrantsPageProps {
  grants: readonly GrantRow[];
  /** URL of the next page; null: this is the last one. */
  next: string | null;
}

/** The programs that may act for the user, in all workspaces. */
export const GrantsPage = ({ grants, next }: GrantsPageProps) => (
  <AppLayout title="Connected programs">
    <p>These programs, such as assistants, act for you until you disconnect them.</p>
    <GrantTable grants={grants} />
    {next === null ? null : (
      <p>
        <a href={next}>Older connections</a>
      </p>
    )}
  </AppLayout>
);

/** Returns the name that a client gave itself. */
export const clientName = ({ client_name: name }: GrantRow) => name ?? "A client without a name";

/** Grants with a link to end each one. */
const GrantTable = ({ grants }: { grants: readonly GrantRow[] }) => (
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
      <ActionLink to={`/app/grants/${grant.id}/revoke`} label="Disconnect" name={`Disconnect ${clientName(grant)}`} />,
    ])}
  />
);
