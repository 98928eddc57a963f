import type { CallerCtx } from "../../../access/caller.ts";
import type { DomainOut } from "../../../domains/domains/index.ts";
import type { Refusal } from "../../../http/page-form.ts";
import { Dialog, Empty, Field, Form, Layout, List, Pager, Select, Status, Time } from "../../../http/ui/index.ts";
import { curlLine } from "../curl-line.ts";
import { HEALTH_LABELS } from "./health.tsx";

interface DomainsPageProps {
  caller: CallerCtx;
  domains: readonly DomainOut[];
  next: string | null;
  /** The name and key of the form that adds a domain. */
  form: { name: string; setup: string; idempotencyKey: string };
  notice?: string | undefined;
  refusal?: Refusal | undefined;
}

/** The domains of the workspace, and the dialog that adds one. */
export const DomainsPage = ({ caller, domains, next, form, notice, refusal }: DomainsPageProps) => (
  <Layout
    title="Domains"
    caller={caller}
    at="/app/domains"
    actions={
      caller.actor.scopes.has("domains:manage") ? (
        <AddDialog {...{ form, refusal }} canDelegate={caller.settings.delegatedZones.length > 0} />
      ) : null
    }
    notice={notice}
  >
    {domains.length === 0 ? (
      <Empty drawing="domain" command={curlLine(caller, "/v1/domains/", { name: "shop.example.net" })}>
        No domain yet. Add the domain that you send from, then publish its DNS records.
      </Empty>
    ) : (
      <List
        caption="Domains"
        columns={["Domain", "Status", "Records", "Health", "Last check"]}
        rows={domains.map(({ id, name, status, sandbox, records, health, last_checked_at: checked }) => [
          <a href={`/app/domains/${id}`}>{name}</a>,
          <Status word={status} />,
          sandbox
            ? "Test domain"
            : `${records.filter((record) => record.status === "verified").length} of ${records.length} found`,
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
    )}
    <Pager next={next} label="More" />
  </Layout>
);

const SETUPS = [
  { value: "delegated", label: "CNAMEs, once: the service changes its keys behind them" },
  { value: "manual", label: "The values themselves, and new ones when keys change" },
];

const AddDialog = ({
  form,
  refusal,
  canDelegate,
}: Pick<DomainsPageProps, "form" | "refusal"> & { canDelegate: boolean }) => (
  <Dialog label="Add a domain" icon="plus" isOpen={refusal !== undefined}>
    <Form action="/app/domains" once={form.idempotencyKey} refusal={refusal}>
      <Field
        name="name"
        label="Domain name"
        placeholder="shop.example.net"
        value={form.name}
        errors={refusal?.errors}
        maxlength={253}
      />
      {canDelegate ? (
        <Select name="setup" label="Records to publish" options={SETUPS} value={form.setup} errors={refusal?.errors} />
      ) : null}
      <button type="submit">Add domain</button>
    </Form>
  </Dialog>
);
