import type { DomainOut } from "../../../domains/domains/index.ts";
import type { DmarcSummary } from "../../../domains/reports/index.ts";
import { AppLayout, ButtonLink, ErrorSummary, Form, LinkLine, Numbers, Select } from "../../../http/ui/index.ts";
import { number, percent } from "./reports.tsx";

interface DmarcPageProps {
  domain: Pick<DomainOut, "id" | "name" | "dmarc_policy">;
  summary: DmarcSummary;
}

const POLICIES: readonly { value: NonNullable<DomainOut["dmarc_policy"]>; label: string }[] = [
  { value: "none", label: "none: deliver it, and report" },
  { value: "quarantine", label: "quarantine: put it into the spam folder" },
  { value: "reject", label: "reject: refuse it" },
];

/** The DMARC policy of a delegated domain, beside what its reports say about a stricter one. */
export const DmarcPage = ({ domain, summary: { messages, aligned, advice } }: DmarcPageProps) => (
  <AppLayout
    title={`DMARC policy of ${domain.name}`}
    actions={<ButtonLink to={`/app/domains/${domain.id}`} label="The domain" kind="quiet" />}
  >
    <ErrorSummary />
    <p>
      The policy asks receivers what to do with mail that has {domain.name} in From and is not aligned: neither DKIM nor
      SPF passes for the domain.
    </p>
    {messages === 0 ? null : (
      <Numbers
        numbers={[
          { name: "Messages in 30 days", value: number(messages) },
          { name: "Not aligned", value: number(messages - aligned), share: percent(messages - aligned, messages) },
        ]}
      />
    )}
    <p>{advice}</p>
    <LinkLine to={`/app/domains/${domain.id}/reports`} label="Reports of receivers" />
    <Form class="form" action={`/app/domains/${domain.id}/dmarc`}>
      <Select
        name="dmarc_policy"
        label="Mail that is not aligned"
        options={POLICIES}
        value={domain.dmarc_policy ?? "none"}
      />
      <button type="submit">Set the policy</button>
    </Form>
  </AppLayout>
);
