import type { CallerCtx } from "../../../access/caller.ts";
import type { Refusal } from "../../../http/page-form.ts";
import { Empty, ErrorSummary, Field, Form, Layout, List, Time } from "../../../http/ui/index.ts";
import type { DomainClaimRow } from "../../../operations/admin/index.ts";

interface ClaimsPageProps {
  caller: CallerCtx;
  /** The name that is searched for; empty: none. */
  name: string;
  claims: readonly DomainClaimRow[];
  notice?: string | undefined;
  refusal?: Refusal | undefined;
}

/** Who has verified a domain, or one above it, and keeps other workspaces from doing so. */
export const ClaimsPage = ({ caller, name, claims, notice, refusal }: ClaimsPageProps) => (
  <Layout title="Domain claims" caller={caller} at="/app/admin/domain-claims" notice={notice}>
    <ErrorSummary refusal={refusal} />
    <Form class="filter" method="get" action="/app/admin/domain-claims">
      <Field
        name="name"
        label="Find who has verified a domain"
        placeholder="example.com"
        value={name}
        errors={refusal?.errors}
        maxlength={253}
      />
      <button type="submit">Find</button>
    </Form>
    {claims.length > 0 ? (
      <List
        caption="Domain claims"
        columns={["Domain", "Workspace", "Since", "Id of the domain", "Action"]}
        rows={claims.map((claim) => [
          claim.name,
          claim.workspace_name,
          claim.verified_at === null ? "" : <Time at={claim.verified_at} />,
          <span class="code">{claim.domain_id}</span>,
          <a
            class="action"
            href={`/app/admin/domain-claims/end?${new URLSearchParams({ name: claim.name })}`}
            aria-label={`End the verification of ${claim.name}`}
          >
            End
          </a>,
        ])}
      />
    ) : name === "" || refusal ? null : (
      <Empty>No workspace has verified {name}, or a domain above it.</Empty>
    )}
  </Layout>
);
