import type { DomainOut } from "../../../domains/domains/index.ts";
import {
  AppLayout,
  Empty,
  Field,
  FormDialog,
  List,
  Select,
  Status,
  Time,
  useCaller,
  useScope,
} from "../../../http/ui/index.ts";
import { HEALTH_LABELS } from "./health.tsx";

function requiredOf(records: DomainOut["records"]): string {
  const required = records.filter((record) => record.required);
  return `${required.filter(({ status }) => status === "verified").length} of ${required.length} required`;
}

/** The domains of the workspace, and the dialog that adds one. */
export const DomainsPage = ({ domains }: { domains: readonly DomainOut[] }) => (
  <AppLayout title="Domains" actions={useScope("domains:manage") ? <AddDialog /> : null}>
    <List
      caption="Domains"
      kind="domains"
      columns={["Domain", "Status", "Records", "Health", "Last check"]}
      empty={
        <Empty drawing="domain" command={{ path: "/v1/domains/", body: { name: "shop.example.net" } }}>
          No domain yet. Add the domain that you send from, then publish its DNS records.
        </Empty>
      }
      rows={domains.map(({ id, name, status, sandbox, records, health, last_checked_at: checked }) => [
        <a href={`/app/domains/${id}`}>{name}</a>,
        <Status word={status} />,
        sandbox ? "Test domain" : requiredOf(records),
        health === "unknown" ? (
          "–"
        ) : (
          <a href={`/app/domains/${id}/health`}>
            <Status word={health} label={HEALTH_LABELS[health]} />
          </a>
        ),
        checked === null ? sandbox ? "–" : "never" : <Time at={checked} />,
      ])}
    />
  </AppLayout>
);

const SETUPS = [
  { value: "delegated", label: "CNAMEs, once: the service changes its keys behind them" },
  { value: "manual", label: "The values themselves, and new ones when keys change" },
];

const AddDialog = () => (
  <FormDialog label="Add a domain" icon="plus" action="/app/domains" once button="Add domain">
    <Field name="name" label="Domain name" placeholder="shop.example.net" maxlength={253} />
    {useCaller().settings.delegatedZones.length > 0 ? (
      <Select name="setup" label="Records to publish" options={SETUPS} value="delegated" />
    ) : null}
  </FormDialog>
);
