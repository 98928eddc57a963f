import { TLS_MEANINGS } from "../reports/index.ts";
import type { Evidence } from "./evidence.ts";
import { type CheckResult, finding, found, number, percent, UNKNOWN } from "./finding.ts";

/** Messages of a sender, and their share of all, from which it is a finding that they are not aligned. Fewer are forwarded mail. */
const [LEAST_UNALIGNED, UNALIGNED_SHARE] = [5, 0.01];
/** Share of a sender's own mail below which forwarding explains what is not aligned. */
const FORWARDED_SHARE = 0.1;
/** Senders that are findings. */
const MAX_SENDERS = 5;
/** Connections that failed, and their share of all. */
const [LEAST_FAILED, FAILED_SHARE] = [3, 0.01];

/** Finds servers that send as the domain without being aligned. */
export function checkSenders({ reports, name }: Evidence): CheckResult {
  if (!reports) return UNKNOWN;
  const senders = reports.unaligned.filter(
    ({ unaligned, messages }) =>
      unaligned >= LEAST_UNALIGNED &&
      unaligned >= reports.messages * UNALIGNED_SHARE &&
      unaligned >= messages * FORWARDED_SHARE,
  );
  return {
    findings: senders.slice(0, MAX_SENDERS).map(({ source, name: of, messages, unaligned }) => {
      const sender = source === "" ? "Several servers" : of === null ? `The server ${source}` : `${of} (${source})`;
      const problem = `${sender} sent ${number(unaligned)} messages as ${name} in ${reports.days} days that are not aligned: neither DKIM nor SPF passed for the domain.`;
      const action = `If the server is yours, switch DKIM on there with a key of ${name}. If it is not, it forges or forwards your mail: p=reject in the DMARC record lets receivers refuse it, once your own senders are aligned.`;
      const evidence = [
        `${source === "" ? "other servers" : source}: ${number(unaligned)} of ${number(messages)} messages are not aligned`,
        `all servers: ${number(reports.messages)} messages`,
      ];
      return finding("sender_not_aligned", { subject: source || "others", problem, action, evidence });
    }),
  };
}

/** Finds servers of the domain to which TLS fails. */
export function checkTlsFailures({ reports, name }: Evidence): CheckResult {
  if (!reports) return UNKNOWN;
  const { sessions, failed, failures } = reports.tls;
  if (failed < LEAST_FAILED || failed < sessions * FAILED_SHARE) return { findings: [] };
  const [worst] = failures;
  const meaning = TLS_MEANINGS[worst?.failure ?? ""] ?? "the connection failed";
  const problem = `Other mail systems report that ${percent(failed, sessions)} of their connections to the servers of ${name} failed. Most often ${meaning}.`;
  const action = worst?.failure.startsWith("sts-")
    ? `Check the MTA-STS policy at https://mta-sts.${name}/.well-known/mta-sts.txt and the certificate of its host.`
    : `Check the TLS of ${worst?.server || `the servers in the MX records of ${name}`}: its certificate, its name and its end.`;
  const counts = failures.map(
    ({ failure, server, sessions: count }) =>
      `${failure}${server === "" ? "" : ` at ${server}`}: ${number(count)} connections`,
  );
  const evidence = [`${number(failed)} of ${number(sessions)} connections in ${reports.days} days`, ...counts];
  return found("tls_failures", { problem, action, evidence });
}
