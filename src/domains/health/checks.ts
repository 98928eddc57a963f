import { checkRates, checkReplies } from "./check-delivery.ts";
import { checkDkim, checkKeyAge } from "./check-dkim.ts";
import { checkDmarc, checkPolicyAgainstReports } from "./check-dmarc.ts";
import { checkMtaSts, checkTlsReports } from "./check-mta-sts.ts";
import { checkMx } from "./check-mx.ts";
import { checkSenders, checkTlsFailures } from "./check-reports.ts";
import { checkBlocklists, checkHosts, checkOwnership, checkReturnPath, checkSilence } from "./check-single.ts";
import { checkSpf } from "./check-spf.ts";
import type { FindingCode } from "./codes.ts";
import type { Evidence } from "./evidence.ts";
import type { CheckResult } from "./finding.ts";

/** A check, and the codes of all findings that it can make. Each code belongs to one check. */
export interface Check {
  codes: readonly FindingCode[];
  run: (evidence: Evidence) => CheckResult;
}

/** All checks, in the order in which a page shows their findings of one severity. */
export const checks: readonly Check[] = [
  { codes: ["dns_silent"], run: checkSilence },
  { codes: ["ownership_missing"], run: checkOwnership },
  {
    codes: [
      ...(["dkim_missing", "dkim_cut", "dkim_damaged", "dkim_other_key", "dkim_revoked", "dkim_several"] as const),
      ...(["dkim_tags", "dkim_testing", "dkim_rotation_waiting"] as const),
    ],
    run: checkDkim,
  },
  { codes: ["dkim_key_old"], run: checkKeyAge },
  {
    codes: [
      ...(["spf_missing", "spf_several", "spf_without_service", "spf_too_many_lookups", "spf_void_lookups"] as const),
      ...(["spf_syntax", "spf_permits_all", "spf_ptr"] as const),
    ],
    run: checkSpf,
  },
  { codes: ["return_path_missing", "return_path_elsewhere", "return_path_no_cname"], run: checkReturnPath },
  {
    codes: [
      ...(["dmarc_missing", "dmarc_several", "dmarc_syntax", "dmarc_no_reports", "dmarc_rua_not_authorized"] as const),
      ...(["dmarc_rua_of_other_domain", "dmarc_pct", "dmarc_subdomains_open"] as const),
    ],
    run: checkDmarc,
  },
  { codes: ["dmarc_refuses_unaligned"], run: checkPolicyAgainstReports },
  {
    codes: ["mx_missing", "mx_partly_elsewhere", "mx_wrong_name", "mx_null", "mx_alias", "mx_address"],
    run: checkMx,
  },
  {
    codes: [
      ...(["mta_sts_host_missing", "mta_sts_unreachable", "mta_sts_invalid", "mta_sts_other_mx"] as const),
      ...(["mta_sts_short", "mta_sts_old_id", "mta_sts_no_record"] as const),
    ],
    run: checkMtaSts,
  },
  { codes: ["host_failed"], run: checkHosts },
  { codes: ["tls_reports_missing", "tls_reports_syntax"], run: checkTlsReports },
  { codes: ["tls_failures"], run: checkTlsFailures },
  { codes: ["sender_not_aligned"], run: checkSenders },
  { codes: ["refused_by_policy", "blocked_by_receiver"], run: checkReplies },
  { codes: ["bounce_rate", "complaint_rate"], run: checkRates },
  { codes: ["blocklisted"], run: checkBlocklists },
];
