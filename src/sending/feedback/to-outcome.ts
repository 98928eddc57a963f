import { classifyFailure } from "../../mail/reports/classify.ts";
import { NON_COMPLAINT_TYPES } from "../../mail/reports/complaint.ts";
import type { Complaint, ReportedRecipient } from "../../mail/reports/feedback.ts";
import { classifyStatus } from "../../mail/reports/status-codes.ts";
import { findStatus } from "../../mail/reports/values.ts";
import type { Outcome } from "../emails/index.ts";
import { suppressionFor } from "../suppressions/index.ts";

/**
 * Returns the outcome of a reported recipient (docs/contract/suppressions.md#suppression-list). Only an address that does not work is
 * suppressed, and a failure of its whole domain only when it is reported again. A delay does not change the recipient's state. Pure.
 */
export function toReportOutcome(reported: ReportedRecipient): Outcome {
  const metadata = {
    source: "dsn",
    dsn: bestStatus(reported),
    ...(reported.diagnostic === null ? {} : { response: reported.diagnostic }),
    ...(reported.remoteMta === null ? {} : { relay: reported.remoteMta }),
  };
  switch (reported.action) {
    case "delivered":
    // No later report follows a relay to a system without DSN, or the expansion of a list (RFC 3464 2.3.3).
    case "relayed":
    case "expanded":
      return { on: "dsn-delivered", metadata: { ...metadata, action: reported.action } };
    case "delayed":
      return { on: "deferred", metadata };
    case "failed": {
      const { status, diagnostic, phase } = reported;
      const found = classifyFailure({ status, text: diagnostic ?? "", phase });
      const bounce = { ...metadata, bounce_type: found === "address" ? "hard" : "soft" };
      return { on: "dsn-failed", metadata: bounce, ...suppressionFor(found) };
    }
  }
}

/** Returns the outcome of an abuse report; null when its type is no complaint (RFC 5965 7.3). Pure. */
export function toComplaintOutcome({ feedbackType, userAgent, sourceIp }: Complaint): Outcome | null {
  if (NON_COMPLAINT_TYPES.some((row) => row.feedbackType === feedbackType)) return null;
  const metadata = { source: "arf", feedback_type: feedbackType, user_agent: userAgent, source_ip: sourceIp };
  return { on: "complaint", metadata, suppress: "complaint" };
}

/** Returns the report's status, or that of the reply where the report's says nothing (Exim writes 5.0.0) and the reply's does. */
function bestStatus({ status, diagnostic }: ReportedRecipient): string | null {
  const found = findStatus(diagnostic ?? "");
  if (found === null) return status;
  if (status === null) return found;
  return isVague(status) && !isVague(found) ? found : status;
}

const isVague = (status: string) => classifyStatus(status) === null || status === "4.0.0";
