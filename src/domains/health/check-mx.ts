import { parseIp } from "../../lib/ip-addresses.ts";
import type { Evidence } from "./evidence.ts";
import { addTo, type CheckResult, type Finding, found, listOf, UNKNOWN, valuesOf } from "./finding.ts";

/** A priority that was entered as part of the host. Some resolvers write the space as `\032` (RFC 1035 5.1). */
const PRIORITY = /^\d+(?:\s|\\032)+/;

/** Finds MX records that keep mail from mailboxes here. A domain whose mail goes to another system entirely has none to find. */
export function checkMx({ dns, name, receivesHere, settings }: Evidence): CheckResult {
  if (!dns || dns.mx.response.status === "temperror") return UNKNOWN;
  const { response, aliases, missing } = dns.mx;
  const ours = settings.mxHost;
  const records = response.values.map((value) => ({ value, host: value.slice(value.indexOf(" ") + 1) }));
  const evidence = valuesOf(name, response);
  const expected = `10 ${ours}`;
  if (records.length === 0 && !receivesHere) return { findings: [] };
  if (records.length === 0) {
    const problem = `${name} has mailboxes here and no MX record, so no mail reaches them.`;
    const action = `Publish an MX record at ${name} with the host "${ours}" and the priority 10.`;
    return found("mx_missing", { problem, action, evidence });
  }
  const isNull = (host: string) => host === "" || host === ".";
  if (records.some(({ host }) => isNull(host))) {
    const problem = `${name} has a null MX record, which says that it receives no mail. Receivers refuse mail from such a domain (RFC 7505), and answers to it are lost.`;
    const action = `Delete the MX record "0 ." and publish "${expected}", or the MX records of the system that receives the domain's mail.`;
    return found("mx_null", { problem, action, evidence });
  }
  const findings: Finding[] = [];
  const add = addTo(findings);
  const appended = records.filter(({ host }) => host === `${ours}.${name}`);
  if (appended.length > 0) {
    const problem = `The MX record of ${name} leads to ${ours}.${name}, which does not exist: your DNS provider has added the domain to the value.`;
    const action = `Change the value of the MX record to "${ours}." with a dot at its end.`;
    add("mx_wrong_name", { problem, action, evidence });
  }
  const withPriority = records.filter(({ host }) => PRIORITY.test(host) && host.replace(PRIORITY, "") === ours);
  if (withPriority.length > 0) {
    const problem = `The host of the MX record of ${name} begins with its priority ("${withPriority[0]?.host}"), and no such host exists.`;
    const action = `Enter the priority 10 in its own field, and only "${ours}" as the host.`;
    add("mx_wrong_name", { problem, action, evidence });
  }
  const addresses = records.filter(({ host }) => parseIp(host) !== null);
  if (addresses.length > 0) {
    const problem = `An MX record of ${name} has the IP address ${addresses[0]?.host}; it must have the name of a host, so servers cannot deliver to it.`;
    const action = `Change it to "${expected}", or give the host a name with an A record.`;
    add("mx_address", { problem, action, evidence });
  }
  const toUs = records.filter(({ host }) => host === ours);
  const named = [toUs, appended, withPriority, addresses].flat();
  const elsewhere = records.filter((record) => !named.includes(record));
  if (toUs.length > 0 && elsewhere.length > 0) {
    const problem = `Mail for ${name} goes to ${ours} and also to ${listOf(elsewhere.map(({ host }) => host))}. What other servers take does not reach the mailboxes here.`;
    const action = `Delete the MX records with ${listOf(elsewhere.map(({ host }) => host))} and keep "${expected}", unless they pass mail on to it.`;
    add("mx_partly_elsewhere", { problem, action, evidence });
  }
  const isNamed = (host: string) => [...appended, ...withPriority].some((one) => one.host === host);
  for (const host of (missing ?? []).filter((one) => !isNamed(one))) {
    const problem = `An MX record of ${name} leads to ${host}, which does not exist or has no address, so servers cannot deliver there.`;
    const action = `Correct the name of the host, give it an A record, or change the record to "${expected}".`;
    add("mx_host_missing", { subject: host, problem, action, evidence: [...evidence, `${host}: no address`] });
  }
  const asAlias = aliases.filter(({ response: of }) => of.status === "ok" && of.values.length > 0);
  for (const { host, response: of } of asAlias) {
    const problem = `The MX record of ${name} has ${host}, which is an alias (CNAME). RFC 2181 10.3 forbids that, and some servers do not deliver to it.`;
    const action =
      of.status === "ok" && of.values.includes(ours)
        ? `Change the MX record to "${expected}".`
        : `Change the MX record to the name that ${host} is an alias of.`;
    const aliased = valuesOf(host, of).map((line) => `CNAME ${line}`);
    add("mx_alias", { subject: host, problem, action, evidence: [...evidence, ...aliased] });
  }
  const unknown = aliases.filter(({ response: of }) => missing === null || of.status === "temperror");
  return { findings, unknown: unknown.map(({ host }) => host) };
}
