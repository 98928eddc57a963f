import { expect } from "vitest";
import { parsePolicy } from "../../../smtp-egress/mta-sts-policy.ts";
import { advancePolicies } from "../../../src/domains/hosts/index.ts";
import { receiveMail } from "../../../src/mailboxes/inbound/index.ts";
import { database } from "../../support/databases.ts";
import { publishRecords } from "../../support/domains.ts";
import { hostSettings } from "../../support/hostnames.ts";
import { testContext } from "../../support/workspace.ts";
import { type Api, aHostWorkspace, domainOf, requestAt, verifyWith } from "./support.ts";

export const DAY = 86_400_000;

/** A domain whose mail comes here, with an active host for its policy, and all records published. */
export async function aPolicy(prefix = "") {
  const made = await aHostWorkspace(prefix);
  await verifyWith(made.api, made.domainId);
  await publishRecords(await domainOf(made.api, made.domainId), ["mta_sts", "mta_sts_id", "tls_reports"]);
  for (let n = 0; n < 3; n += 1) await verifyWith(made.api, made.domainId);
  const domain = await domainOf(made.api, made.domainId);
  expect(domain.mta_sts).toMatchObject({ mode: "testing" });
  const policyHost = `mta-sts.${domain.name}`;
  expect((await rowOf(policyHost))?.status).toBe("active");
  return { ...made, domain, name: domain.name, policyHost };
}

interface PolicyRow {
  status: string;
  domain_id: string | null;
  policy_mode: string;
  policy_is_held: number;
  policy_kept_until: number | null;
  policy_due_at: number | null;
  policy_blocker: string | null;
  next_check_at: number;
}

export const rowOf = (host: string) => database.row<PolicyRow>("SELECT * FROM custom_hosts WHERE name = ?1", [host]);

export const setMode = (api: Api, id: string, mode: string) =>
  api.call("PATCH", `/v1/domains/${id}`, { mta_sts: mode });

/** Returns the policy that senders get, as the egress reads it; null: a 404. */
export async function servedAt(host: string) {
  const response = await requestAt(host, "/.well-known/mta-sts.txt");
  return response.status === 404 ? null : parsePolicy(await response.text());
}

export const contextIn = (ms: number) => testContext(hostSettings(), () => Date.now() + ms);

/** Runs the cron job at a time from now, in milliseconds. */
export const testPoliciesIn = (ms: number) => advancePolicies(contextIn(ms));

/** Delivers a TLS report that arrives at a time from now, as of the day before. */
export async function reportIn(
  ms: number,
  {
    to,
    domain,
    failures = 0,
    by = "google.com",
    id = crypto.randomUUID(),
    result = "pass",
  }: { to: string; domain: string; failures?: number; by?: string; id?: string; result?: string },
) {
  const ctx = contextIn(ms);
  const day = new Date(ctx.now() - DAY).toISOString().slice(0, 10);
  const report = {
    ...{ "organization-name": by, "report-id": id },
    "date-range": { "start-datetime": `${day}T00:00:00Z`, "end-datetime": `${day}T23:59:59Z` },
    policies: [
      {
        policy: { "policy-type": "sts", "policy-domain": domain },
        summary: { "total-successful-session-count": 9, "total-failure-session-count": failures },
        "failure-details":
          failures === 0 ? [] : [{ "result-type": "certificate-expired", "failed-session-count": failures }],
      },
    ],
  };
  const head = `From: r@${by}\r\nTo: ${to}\r\nMIME-Version: 1.0\r\nContent-Type: application/tlsrpt+json; name="r.json"`;
  const bytes = new TextEncoder().encode(`${head}\r\n\r\n${JSON.stringify(report)}\r\n`);
  const raw = (async function* () {
    yield bytes;
  })();
  const authentication = {
    ...{ spf: null, dkim: [], dmarc: { result, domain: by }, dmarc_policy: "reject", arc: null },
  };
  const logs: Record<string, unknown>[] = [];
  const logged = { ...ctx, log: (event: string, fields?: object) => logs.push({ event, ...fields }) };
  await receiveMail(logged, { from: `r@${by}`, to, raw, size: bytes.length, authentication });
  return logs.filter(({ event }) => event === "inbound.domain-report").map(({ result: one }) => one);
}
