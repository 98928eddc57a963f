import type { Evidence } from "./evidence.ts";
import { type CheckResult, finding } from "./finding.ts";

/** Finds hosts of the domain that the service cannot serve. */
export function checkHosts({ hosts, name }: Evidence): CheckResult {
  const failed = hosts.filter(({ status }) => status === "failed");
  return {
    findings: failed.map(({ name: host, purpose, problem }) => {
      const consequence =
        purpose === "link"
          ? `Links in mail of ${name} have the host of the service until it can be used again.`
          : `Other mail systems cannot fetch the MTA-STS policy of ${name}.`;
      return finding("host_failed", {
        subject: host,
        problem: `The host ${host} cannot be used. ${consequence}`,
        action:
          problem ??
          `Check that the CNAME record at ${host} is as the list of records says, then check the records again.`,
        evidence: [`${host}: failed`, ...(problem === null ? [] : [problem])],
      });
    }),
  };
}
