import { ActionLink, AppLayout, Empty, Field, Form, List, Time } from "../../../http/ui/index.ts";
import type { DomainClaimRow } from "../../../operations/admin/index.ts";

interface ClaimsPageProps {
  /** The name that is searched for; empty: none. */
  name: string;
  /** Null: nothing was searched for. */
  claims: readonly DomainClaimRow[] | null;
}

/** Who has verified a domain, or one above it, and keeps other workspaces from doing so. */
export const ClaimsPage = ({ name, claims }: ClaimsPageProps) => (
  <AppLayout title="Domain claims">
    <Form class="filter" method="get" action="/app/admin/domain-claims">
      <Field
        name="name"
        label="Find who has verified a domain"
        placeholder="example.com"
        value={name}
        maxlength={253}
      />
      <button type="submit">Find</button>
    </Form>
    {claims === null ? null : (
      <List
        caption="Domain claims"
        columns={["Domain", "Workspace", "Since", "Id of the domain", "Action"]}
        empty={<Empty>No workspace has verified {name}, or a domain above it.</Empty>}
        rows={claims.map((claim) => [
          claim.name,
          claim.workspace_name,
          claim.verified_at === null ? "" : <Time at={claim.verified_at} />,
          <span class="code">{claim.domain_id}</span>,
          <ActionLink
            to={`/app/admin/domain-claims/end?${new URLSearchParams({ name: claim.name })}`}
            label="End"
            name={`End the verification of ${claim.name}`}
          />,
        ])}
      />
    )}
  </AppLayout>
);
