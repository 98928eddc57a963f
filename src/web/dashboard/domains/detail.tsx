import type { CallerCtx } from "../../../access/caller.ts";
import { type DomainOut, foundKey } from "../../../domains/domains/index.ts";
import type { Refusal } from "../../../http/page-form.ts";
import { ButtonLink, ErrorSummary, Facts, Field, Layout, Status, TextArea, Time } from "../../../http/ui/index.ts";

interface DomainPageProps {
  caller: CallerCtx;
  domain: DomainOut;
  /** Values that DNS has in place of the records that are wrong; null: DNS was not asked. */
  found: ReadonlyMap<string, string> | null;
  /** The form that offers the domain to another account. */
  transfer: { target_email: string; note: string };
  notice?: string | undefined;
  refusal?: Refusal | undefined;
}

const purposes: Readonly<Record<DomainOut["records"][number]["purpose"], string>> = {
  ownership: "Proves that the domain is yours.",
  dkim: "Signs your emails.",
  spf: "Permits this service to send for the domain.",
  return_path: "Receives bounces under your own name.",
  dmarc: "Says what receivers do with forged mail.",
  mx: "Brings mail for the domain to its mailboxes here.",
};

/** One domain with its DNS records, and how to transfer it. */
export function DomainPage({ caller, domain, found, transfer, notice, refusal }: DomainPageProps) {
  const mayManage = caller.actor.scopes.has("domains:manage");
  const isVerified = domain.status === "verified";
  return (
    <Layout
      title={domain.name}
      caller={caller}
      at="/app/domains"
      actions={mayManage ? <Actions domain={domain} /> : null}
      notice={notice}
    >
      <ErrorSummary refusal={refusal} />
      <Facts
        of={{
          Status: <Status word={domain.status} />,
          Added: <Time at={domain.created_at} as="whole" />,
          "Last check": domain.last_checked_at === null ? "never" : <Time at={domain.last_checked_at} />,
        }}
      />
      <h2>DNS records</h2>
      <p>
        {isVerified
          ? "Keep these records. They are checked every day."
          : "Publish the required records where the domain is registered, then check them here."}
      </p>
      {domain.records.map((record) => (
        <RecordCard domain={domain.name} record={record} found={found?.get(foundKey(record))} />
      ))}
      <p>
        <a href={`/app/domains/${domain.id}/zone`}>Download all records as a zone file</a>
        {found === null && domain.records.some(isWrong) ? (
          <>
            {" · "}
            <a href={`/app/domains/${domain.id}?found=1`}>Show what DNS has instead</a>
          </>
        ) : null}
      </p>
      {mayManage && isVerified ? <TransferForm domain={domain} transfer={transfer} refusal={refusal} /> : null}
    </Layout>
  );
}

const Actions = ({ domain }: { domain: DomainOut }) => (
  <>
    <form method="post" action={`/app/domains/${domain.id}/verify`}>
      <button type="submit">Check records</button>
    </form>
    {domain.status === "verified" ? (
      <ButtonLink to={`/app/domains/${domain.id}/rotate`} label="Rotate DKIM keys" kind="quiet" />
    ) : null}
    <ButtonLink to={`/app/domains/${domain.id}/delete`} label="Delete" kind="danger" />
  </>
);

type DomainRecord = DomainOut["records"][number];

const isWrong = ({ status }: DomainRecord) => status === "missing" || status === "mismatch";

interface RecordCardProps {
  domain: string;
  record: DomainRecord;
  found: string | undefined;
}

const RecordCard = ({ domain, record, found }: RecordCardProps) => (
  <section class="card" aria-label={`${record.type} ${record.name}`}>
    <p>
      <strong>{record.type}</strong> <Status word={record.status} />{" "}
      <span class="soft">{record.required ? "required" : "recommended"}</span>
    </p>
    <p class="soft">{purposes[record.purpose]}</p>
    <Facts
      of={{
        Host: { code: hostOf(record.name, domain), copy: "the host" },
        "Full name": { code: record.name },
        Priority: record.priority === null ? null : { code: record.priority },
        Value: { code: record.value, copy: "the value" },
        Found: found === undefined ? null : { code: found === "" ? "nothing" : found },
      }}
    />
  </section>
);

/** Returns what the pages of most registrars call the host: the name below the domain. */
const hostOf = (name: string, domain: string) => (name === domain ? "@" : name.slice(0, -domain.length - 1));

const TransferForm = ({ domain, transfer, refusal }: Pick<DomainPageProps, "domain" | "transfer" | "refusal">) => (
  <>
    <h2>Transfer to another account</h2>
    <p>
      The recipient has seven days to accept. The domain moves with its sub-domains and mailboxes 24 hours after that,
      and every owner of this workspace can stop it until then.
    </p>
    <form class="form" method="post" action={`/app/domains/${domain.id}/transfer`}>
      <Field
        name="target_email"
        label="Email address of the recipient's account"
        type="email"
        value={transfer.target_email}
        errors={refusal?.errors}
      />
      <TextArea
        name="note"
        label="Note to the recipient"
        required={false}
        rows={3}
        value={transfer.note}
        errors={refusal?.errors}
      />
      <button type="submit">Offer the domain</button>
    </form>
  </>
);
