import { type Scope, scopes } from "../../../access/accounts/scopes.ts";
import { readPage, respondPage } from "../../../http/page.tsx";
import { page, pagesOf, question } from "../../../http/page-actions.tsx";
import { ActionLink, AppLayout, Empty, List, Time } from "../../../http/ui/index.ts";
import { deleteGrant, type GrantRow, getGrant, listGrants } from "../../../identity/oauth/index.ts";

export const grantPages = pagesOf(
  "program",
  page("/app/grants", "GET /v1/oauth/grants", async (c) => {
    const { rows, next } = await readPage(c, { path: "/app/grants", read: listGrants, after: ({ id }) => id });
    return respondPage(c, <GrantsPage grants={rows} />, { next, nextLabel: "Older connections" });
  }),
  question("/app/grants/:grant_id/revoke", "DELETE /v1/oauth/grants/:grant_id", {
    of: getGrant,
    title: (grant) => `Disconnect ${clientName(grant)}?`,
    button: "Disconnect",
    text: (grant) => `It can no longer act for you in the workspace ${grant.workspace_name}, from its next request on.`,
    run: deleteGrant,
    done: { revoked: "The program is disconnected." },
  }),
);

const GrantsPage = ({ grants }: { grants: readonly GrantRow[] }) => (
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

const clientName = ({ client_name: name }: GrantRow) => name ?? "A client without a name";
