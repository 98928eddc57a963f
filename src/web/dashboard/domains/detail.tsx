import { type DomainOut, foundKey, recordsToPublish } from "../../../domains/domains/index.ts";
import {
  AppLayout,
  ButtonLink,
  counted,
  ErrorSummary,
  Field,
  Form,
  List,
  PostButton,
  Share,
  Status,
  Submit,
  TextArea,
  Time,
  useCaller,
  useScope,
} from "../../../http/ui/index.ts";
import { LastCheck } from "./health.tsx";
import { Receiving } from "./receiving.tsx";
import { SandboxPage } from "./sandbox.tsx";

interface DomainPageProps {
  domain: DomainOut;
  /** Values that DNS has in place of the records that are wrong; null: DNS was not asked. */
  found: ReadonlyMap<string, string> | null;
}

/** One domain with its DNS records, and how to transfer it. */
export function DomainPage({ domain, found }: DomainPageProps) {
  const caller = useCaller();
  const mayManage = useScope("domains:manage");
  if (domain.sandbox) return <SandboxPage domain={domain} />;
  const isVerified = domain.status === "verified";
  return (
    <AppLayout
      title={domain.name}
      actions={mayManage ? <Actions domain={domain} canDelegate={caller.settings.delegatedZones.length > 0} /> : null}
    >
      <ErrorSummary />
      <Watched domain={domain} found={found} mayManage={mayManage} />
      <p>
        <a href={`/app/domains/${domain.id}/zone`}>Download all records as a zone file</a>
        {" · "}
        <a href={`/app/domains/${domain.id}/health`}>Health</a>
        {" · "}
        <a href={`/app/domains/${domain.id}/reports`}>Reports of receivers</a>
        {" · "}
        <a href={`/app/domains/${domain.id}/deliverability`}>Deliverability</a>
        {domain.dmarc_policy === null ? null : (
          <>
            {" · "}
            {mayManage ? <a href={`/app/domains/${domain.id}/dmarc`}>DMARC policy</a> : "DMARC policy"}:{" "}
            {domain.dmarc_policy}
          </>
        )}
        {found === null && recordsToPublish(domain).some(needsRepair) ? (
          <>
            {" · "}
            <a href={`/app/domains/${domain.id}?found=1`}>Show what DNS has instead</a>
          </>
        ) : null}
      </p>
      <Receiving domain={domain} mayManage={mayManage} />
      <Policy domain={domain} mayManage={mayManage} />
      {mayManage && isVerified ? <TransferForm domain={domain} /> : null}
    </AppLayout>
  );
}

/** The part of the page that changes with each check. While the domain is not verified, a script checks its records again and again. */
const Watched = ({ domain, found, mayManage }: Pick<DomainPageProps, "domain" | "found"> & { mayManage: boolean }) => (
  <div
    id="records"
    data-live=""
    data-check={mayManage && domain.status !== "verified" ? `/app/domains/${domain.id}/verify` : undefined}
  >
    <Progress domain={domain} />
    <LinkHost host={domain.link_host} />
    <h2>Required records</h2>
    <p>{introOf(domain)}</p>
    <Records domain={domain} found={found} records={recordsToPublish(domain).filter(({ required }) => required)} />
    <FurtherRecords domain={domain} found={found} />
  </div>
);

function introOf({ status, setup }: DomainOut): string {
  const isDelegated = setup === "delegated";
  if (status === "verified")
    return isDelegated
      ? "Keep these records. They are checked every day, and the service changes its keys behind them."
      : "Keep these records. They are checked every day.";
  const how = isDelegated ? "Publish these records once" : "Publish the required records";
  return `${how} where the domain is registered. This page checks them and shows when they are found.`;
}

const SetupForm = ({ domain: { id, setup } }: { domain: DomainOut }) => (
  <PostButton
    to={`/app/domains/${id}/setup`}
    label={setup === "manual" ? "Publish CNAMEs instead" : "Publish values instead"}
    kind="quiet"
    fields={{ setup: setup === "manual" ? "delegated" : "manual" }}
  />
);

const Actions = ({ domain, canDelegate }: { domain: DomainOut; canDelegate: boolean }) => (
  <>
    <PostButton to={`/app/domains/${domain.id}/verify`} label="Check records" />
    {canDelegate ? <SetupForm domain={domain} /> : null}
    {domain.status === "verified" ? (
      <ButtonLink to={`/app/domains/${domain.id}/rotate`} label="Rotate DKIM keys" kind="quiet" />
    ) : null}
    <ButtonLink to={`/app/domains/${domain.id}/delete`} label="Delete" kind="danger" />
  </>
);

const LinkHost = ({ host }: { host: DomainOut["link_host"] }) =>
  host === null ? null : (
    <section class="card progress" aria-label="Host of links">
      <p>
        <Status word={host.status} />
      </p>
      <p>
        Links in {host.status === "active" ? "new emails begin" : "emails will begin"} with <code>{host.name}</code>.
        {host.status === "active" ? "" : " Until then they have the host of this service."}
      </p>
      <p class="soft">{host.detail ?? "It is checked every day."}</p>
    </section>
  );

const Policy = ({ domain: { id, mta_sts: policy }, mayManage }: { domain: DomainOut; mayManage: boolean }) => {
  if (policy === null) return null;
  const isEnforced = policy.mode === "enforce";
  const isTesting = policy.mode === "testing";
  return (
    <>
      <h2>Encryption of mail to the domain</h2>
      <section class="card progress" aria-label="MTA-STS policy">
        <p>
          <Status word={isEnforced ? "active" : "pending"} label={POLICY_LABELS[policy.mode]} />
          {policy.since === null ? null : (
            <>
              {" "}
              since <Time at={policy.since} />
            </>
          )}
        </p>
        <p>{policy.detail}</p>
        <p class="soft">
          {policy.enforces_from === null ? null : (
            <>
              Earliest <Time at={policy.enforces_from} />.{" "}
            </>
          )}
          <a href={`/app/domains/${id}/reports?kind=tls`}>TLS reports</a>
        </p>
        {mayManage && policy.mode !== "none" ? (
          <Form action={`/app/domains/${id}/mta-sts`}>
            {isTesting ? <PolicyButton mode="enforce" label="Enforce now" /> : null}{" "}
            {isTesting && policy.enforces_from === null ? null : (
              <PolicyButton mode="testing" label={isTesting ? "Keep testing" : "Back to testing"} />
            )}
          </Form>
        ) : null}
      </section>
    </>
  );
};

const POLICY_LABELS = { testing: "Testing", enforce: "Enforced", none: "Ended" } as const;

const PolicyButton = ({ mode, label }: { mode: "testing" | "enforce"; label: string }) => (
  <button class="quiet" type="submit" name="mta_sts" value={mode}>
    {label}
  </button>
);

type DomainRecord = DomainOut["records"][number];

const isWrong = ({ status }: DomainRecord) => status === "missing" || status === "mismatch";
/** A further record that is missing is a choice; one with another value is not. */
const needsRepair = (record: DomainRecord) => isWrong(record) && (record.required || record.status === "mismatch");
const isRight = ({ status }: DomainRecord) => status === "verified";

const Verdict = ({ domain: { id, status, health } }: { domain: DomainOut }) => {
  const path = `/app/domains/${id}/health`;
  if (status !== "verified") return <>It cannot send until the required records match.</>;
  if (health === "error")
    return (
      <>
        It can send, but <a href={path}>something is wrong</a>.
      </>
    );
  return <>It can send. {health === "warning" ? <a href={path}>Something can be improved.</a> : null}</>;
};

const Progress = ({ domain }: { domain: DomainOut }) => {
  const { status, last_checked_at: checkedAt } = domain;
  const records = recordsToPublish(domain).filter(({ required }) => required);
  const right = records.filter(isRight).length;
  return (
    <section class="card progress" aria-label="Set-up of the domain">
      <p>
        <Status word={status} />
      </p>
      <p>
        <Verdict domain={domain} />
      </p>
      <Share of={right / records.length} text={`${right} of ${records.length} required records match`} />
      <p class="soft">
        <LastCheck at={checkedAt} />
      </p>
    </section>
  );
};

/** The records that are no condition for sending, folded unless one of them has a wrong value. */
function FurtherRecords({ domain, found }: Pick<DomainPageProps, "domain" | "found">) {
  const records = recordsToPublish(domain).filter(({ required }) => !required);
  const wrong = records.filter(needsRepair).length;
  const right = records.filter(isRight).length;
  return (
    <details class="more" open={wrong > 0}>
      <summary>
        {counted(records.length, "optional record")}: {right} {right === 1 ? "matches" : "match"}
        {wrong === 0 ? "" : `, ${wrong} ${wrong === 1 ? "has another value" : "have other values"}`}
      </summary>
      <Records domain={domain} found={found} records={records} />
    </details>
  );
}

interface RecordsProps extends Pick<DomainPageProps, "domain" | "found"> {
  records: readonly DomainRecord[];
}

const Records = ({ domain, found, records }: RecordsProps) => (
  <List
    caption={records[0]?.required ? "Required records" : "Further records"}
    kind="records"
    columns={["Type", "Host", "Value", "Status"]}
    rows={records.map((record) => [
      <span title={record.explanation}>{record.type}</span>,
      <>
        <Copied text={hostOf(record.name, domain.name)} what={`the host of ${record.name}`} title={record.name} />
        <p class="soft">{record.explanation}</p>
      </>,
      <>
        <Copied text={record.value} what={`the value of ${record.name}`} />
        {record.priority === null ? null : <p class="soft">Priority {record.priority}</p>}
        <Found text={found?.get(foundKey(record)) ?? record.found?.join("\n")} />
        {isWrong(record) && record.action !== null ? <p>{record.action}</p> : null}
      </>,
      <RecordStatus record={record} />,
    ])}
  />
);

const RecordStatus = ({ record }: { record: DomainRecord }) =>
  isWrong(record) && !needsRepair(record) ? <Status word="optional" /> : <Status word={record.status} />;

/** Code on one line with a button that copies all of it. */
const Copied = ({ text, what, title = text }: { text: string; what: string; title?: string }) => (
  <span class="line" data-copy={text} data-what={what}>
    <code title={title}>{text}</code>
  </span>
);

const Found = ({ text }: { text: string | undefined }) =>
  text === undefined ? null : (
    <p class="found">
      Found <code>{text === "" ? "nothing" : text}</code>
    </p>
  );

/** Returns what the pages of most registrars call the host: the name below the domain. */
const hostOf = (name: string, domain: string) => (name === domain ? "@" : name.slice(0, -domain.length - 1));

const TransferForm = ({ domain }: Pick<DomainPageProps, "domain">) => (
  <>
    <h2>Transfer to another account</h2>
    <p>
      The recipient has seven days to accept. The domain moves with its sub-domains and mailboxes 24 hours after that,
      and every owner of this workspace can stop it until then.
    </p>
    <Form class="form" action={`/app/domains/${domain.id}/transfer`}>
      <Field name="target_email" label="Email address of the recipient's account" type="email" />
      <TextArea name="note" label="Note to the recipient" required={false} rows={3} />
      <Submit label="Offer the domain" kind="quiet" />
    </Form>
  </>
);
