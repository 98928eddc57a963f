import { type Scope, scopes } from "../../../access/accounts/scopes.ts";
import type { CallerCtx } from "../../../access/caller.ts";
import { Empty, Layout, List, Time } from "../../../http/ui/index.ts";
import type { GrantRow } from "../../../identity/oauth/index.ts";

interface GrantsPageProps {
  caller: CallerCtx;
  grants: readonly GrantRow[];
  /** Query string of the next page; null: this is the last one. */
  next: string | null;
  notice?: string | undefined;
}

/** The programs that may act for the user, in all workspaces. */
export const GrantsPage = ({ caller, grants, next, notice }: GrantsPageProps) => (
  <Layout title="Connected programs" caller={caller} notice={notice}>
    <p>These programs, such as assistants, act for you until you disconnect them.</p>
    <GrantTable grants={grants} />
    {next === null ? null : (
      <p>
        <a href={`/app/grants${next}`}>Older connections</a>
      </p>
    )}
  </Layout>
);

/** Returns the name that a client gave itself. */
export const clientName = ({ client_name: name }: GrantRow) => name ?? "A client without a name";

/** Grants with a link to end each one. */
export function GrantTable({ grants }: { grants: readonly GrantRow[] }) {
  if (grants.length === 0) return <Empty drawing="plug">No program is connected.</Empty>;
  return (
    <List
      caption="Connected programs"
      columns={["Program", "Workspace", "It may", "Connected", "Action"]}
      rows={grants.map((grant) => [
        clientName(grant),
        grant.workspace_name,
        (JSON.parse(grant.scopes) as Scope[]).map((scope) => scopes[scope] ?? scope).join(" "),
        <Time at={grant.created_at} />,
        <a class="action" href={`/app/grants/${grant.id}/revoke`} aria-label={`Disconnect ${clientName(grant)}`}>
          Disconnect
        </a>,
      ])}
    />
  );
}
