import type { CallerCtx } from "../../../access/caller.ts";
import { type DomainOut, foundKey } from "../../../domains/domains/index.ts";
import type { Refusal } from "../../../http/page-form.ts";
import {
  ButtonLink,
  ErrorSummary,
  Field,
  Layout,
  List,
  Share,
  Status,
  TextArea,
  Time,
} from "../../../http/ui/index.ts";
import { HEALTH_LABELS } from "./health.tsx";

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
  mta_sts: "Holds the policy that mail to you must be encrypted (MTA-STS, in testing).",
  mta_sts_id: "Announces that policy to senders.",
  tls_reports: "Asks senders to report whether encryption to you fails.",
  link_host: "Gives the links in your emails your own name.",
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
      <Progress domain={domain} />
      {domain.health === "warning" || domain.health === "error" ? (
        <p>
          <Status word={domain.health} label={HEALTH_LABELS[domain.health]} />:{" "}
          <a href={`/app/domains/${domain.id}/health`}>see what and what to do</a>
        </p>
      ) : null}
      <LinkHost host={domain.link_host} />
      <h2>DNS records</h2>
      <p>
        {isVerified
          ? "Keep these records. They are checked every day."
          : "Publish the required records where the domain is registered, then check them here."}
      </p>
      <Records domain={domain} found={found} />
      <p>
        <a href={`/app/domains/${domain.id}/zone`}>Download all records as a zone file</a>
        {" · "}
        <a href={`/app/domains/${domain.id}/health`}>Health</a>
        {" · "}
        <a href={`/app/domains/${domain.id}/reports`}>Reports of receivers</a>
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

/** The host of the links in its emails, when the deployment offers one. */
const LinkHost = ({ host }: { host: DomainOut["link_host"] }) =>
  host === null ? null : (
    <section class="card progress" aria-label="Host of links">
      <p>
        <Status word={host.status} />
      </p>
      <p>
        {host.status === "active" ? (
          <>
            Links in new emails begin with <code>{host.name}</code>.
          </>
        ) : (
          <>
            Links in emails will begin with <code>{host.name}</code>. Until then they have the host of this service.
          </>
        )}
      </p>
      <p class="soft">{host.detail ?? "It is checked every day."}</p>
    </section>
  );

type DomainRecord = DomainOut["records"][number];

const isWrong = ({ status }: DomainRecord) => status === "missing" || status === "mismatch";

/** How far the set-up of the domain is, and when its records were looked up last. */
const Progress = ({ domain: { status, records, last_checked_at: checkedAt } }: { domain: DomainOut }) => {
  const right = records.filter((record) => record.status === "verified").length;
  return (
    <section class="card progress" aria-label="Set-up of the domain">
      <p>
        <Status word={status} />
      </p>
      <Share of={right / records.length} text={`${right} of ${records.length} records match`} />
      <p class="soft">
        {checkedAt === null ? (
          "Not checked yet"
        ) : (
          <>
            Last check <Time at={checkedAt} />
          </>
        )}
      </p>
    </section>
  );
};

/** The records in a table, the required ones first. */
const Records = ({ domain, found }: Pick<DomainPageProps, "domain" | "found">) => (
  <List
    caption="DNS records"
    kind="records"
    columns={["Type", "Host", "Value", "Status"]}
    rows={domain.records
      .toSorted((a, b) => Number(b.required) - Number(a.required))
      .map((record) => [
        <span title={purposes[record.purpose]}>{record.type}</span>,
        <>
          <Copied text={hostOf(record.name, domain.name)} what={`the host of ${record.name}`} title={record.name} />
          <p class="soft">{purposes[record.purpose]}</p>
        </>,
        <>
          <Copied text={record.value} what={`the value of ${record.name}`} />
          {record.priority === null ? null : <p class="soft">Priority {record.priority}</p>}
          <Found text={found?.get(foundKey(record))} />
        </>,
        <>
          <Status word={record.status} />
          <p class="soft">{record.required ? "required" : "recommended"}</p>
        </>,
      ])}
  />
);

/** Code on one line with a button that copies all of it. */
const Copied = ({ text, what, title = text }: { text: string; what: string; title?: string }) => (
  <span class="line" data-copy={text} data-what={what}>
    <code title={title}>{text}</code>
  </span>
);

/** The value that DNS has instead of the right one. */
const Found = ({ text }: { text: string | undefined }) =>
  text === undefined ? null : (
    <p class="found">
      Found <code>{text === "" ? "nothing" : text}</code>
    </p>
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
      <button class="quiet" type="submit">
        Offer the domain
      </button>
    </form>
  </>
);
