import { checkRates, checkReplies } from "./check-delivery.ts";
import { checkDkim, checkKeyAge } from "./check-dkim.ts";
import { checkDmarc, checkPolicyAgainstReports } from "./check-dmarc.ts";
import { checkMtaSts, checkTlsReports } from "./check-mta-sts.ts";
import { checkMx } from "./check-mx.ts";
import { checkSenders, checkTlsFailures } from "./check-reports.ts";
import { checkBlocklists, checkHosts, checkOwnership, checkReturnPath, checkSilence } from "./check-single.ts";
import { checkSpf } from "./check-spf.ts";
import type { Evidence } from "./evidence.ts";
import type { CheckResult } from "./finding.ts";

/** A check, and the codes of all findings that it can make. Each code belongs to one check. */
export interface Check {
  codes: RegExp;
  run: (evidence: Evidence) => CheckResult;
}

/** All checks, in the order in which a page shows their findings of one severity. */
export const checks: readonly Check[] = [
  { codes: /^dns_silent$/, run: checkSilence },
  { codes: /^ownership_missing$/, run: checkOwnership },
  { codes: /^dkim_(?!key_old$)/, run: checkDkim },
  { codes: /^dkim_key_old$/, run: checkKeyAge },
  { codes: /^spf_/, run: checkSpf },
  { codes: /^return_path_/, run: checkReturnPath },
  { codes: /^dmarc_(?!refuses_unaligned$)/, run: checkDmarc },
  { codes: /^dmarc_refuses_unaligned$/, run: checkPolicyAgainstReports },
  { codes: /^mx_/, run: checkMx },
  { codes: /^mta_sts_/, run: checkMtaSts },
  { codes: /^host_failed$/, run: checkHosts },
  { codes: /^tls_reports_/, run: checkTlsReports },
  { codes: /^tls_failures$/, run: checkTlsFailures },
  { codes: /^sender_not_aligned$/, run: checkSenders },
  { codes: /^(?:refused_by_policy|blocked_by_receiver)$/, run: checkReplies },
  { codes: /^(?:bounce|complaint)_rate$/, run: checkRates },
  { codes: /^blocklisted$/, run: checkBlocklists },
];
