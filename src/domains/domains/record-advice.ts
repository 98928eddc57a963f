import type { RecordStatus } from "../../platform/db/schema/main/domains.ts";
import type { ExpectedRecord } from "./expected-record.ts";

/** Sentences about the purpose of each record. */
const EXPLANATIONS: Readonly<Record<ExpectedRecord["purpose"], string>> = {
  ownership: "Proves that the domain is yours.",
  dkim: "Signs your emails.",
  spf: "Permits this service to send for the domain.",
  return_path: "Receives bounces under your own name.",
  dmarc: "Says what receivers do with forged mail, and brings their reports here.",
  mx: "Brings mail for the domain to its mailboxes here.",
  link_host: "Gives the links in your emails your own name.",
  mta_sts: "Holds the policy that mail to you must be encrypted (MTA-STS). It matters only if you receive mail here.",
  mta_sts_id: "Announces that policy to senders. It matters only if you receive mail here.",
  mail_programs: "Lets mail programs find the servers of your mailboxes by themselves.",
  tls_reports: "Asks senders to report whether encryption to you fails. It matters only if you receive mail here.",
};

type Judged = Pick<ExpectedRecord, "purpose" | "type" | "name" | "value" | "policy">;

/** Returns what a record is for, and what to change about it; null: nothing. Pure. */
export function adviceOn(
  record: Judged,
  status: RecordStatus,
  found: readonly string[] | null,
): { explanation: string; action: string | null } {
  const explanation = EXPLANATIONS[record.purpose];
  const policy = record.policy === undefined ? "" : ` The policy behind it is p=${record.policy}.`;
  return { explanation: explanation + policy, action: actionOf(record, status, found ?? []) };
}

function actionOf(record: Judged, status: RecordStatus, found: readonly string[]): string | null {
  if (status === "verified") return null;
  if (isForReceiving(record) && record.type === "CNAME") return receivingAction(record, status);
  if (record.purpose === "mx") return receiveAction(record.value, found);
  if (status === "pending" || status === "missing") return "Publish this record, then check again.";
  return mismatchAction(record, found);
}

const isForReceiving = ({ purpose }: Judged) => ["mta_sts", "mta_sts_id", "tls_reports"].includes(purpose);

/** A domain whose mail goes elsewhere may have a policy of its own, which these CNAMEs would end. */
const receivingAction = ({ value }: Judged, status: RecordStatus): string =>
  status === "mismatch"
    ? `If you receive mail here, let this CNAME lead to ${value}, and delete other records at its name.`
    : "Publish this record if you receive mail here or will.";

/** Sending needs no MX record, and this one takes the mail from the servers that have it. */
const receiveAction = (value: string, found: readonly string[]): string =>
  found.length === 0
    ? "Publish this record if mail for the domain shall arrive here."
    : `Mail for the domain goes to ${found.join(", ")} today. Publish ${value} in place of these only if it shall arrive here.`;

function mismatchAction({ purpose, type, value }: Judged, found: readonly string[]): string {
  const aliases = found.filter((text) => text.startsWith("CNAME "));
  if (type === "CNAME" && purpose === "dmarc" && aliases.length === 0)
    return "Correct your own DMARC record, or replace it by this CNAME: a name cannot have both.";
  if (type === "CNAME" && aliases.length === 0 && found.length > 0 && purpose === "dkim")
    return "Replace the TXT record by this CNAME. A copied key stops working when the service changes its keys.";
  if (type === "CNAME") return `Let this CNAME lead to ${value}, and delete other records at its name.`;
  if (purpose === "spf" && found.filter((text) => /^v=spf1/i.test(text)).length > 1)
    return "Merge the SPF records into one: with several, receivers use none.";
  if (purpose === "spf") return `Add ${value.split(" ")[1] ?? value} to your SPF record.`;
  if (purpose === "dkim") return "Replace the value by this one, whole and as the only record of its name.";
  return "Replace the value by this one, then check again.";
}
