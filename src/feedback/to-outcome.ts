import type { Outcome } from "../emails/index.ts";
import type { Complaint, ReportedRecipient } from "../mail/reports/index.ts";
import {
  classifyPhrases,
  findStatus,
  isHardBounce,
  NON_COMPLAINT_TYPES,
  VAGUE_STATUSES,
} from "../mail/reports/index.ts";

/**
 * Returns the outcome of a reported recipient (decisions 4). Only an address that does not work is suppressed. A delay
 * does not change the recipient's state. Pure.
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
      const hard = isHardFailure(reported);
      const bounce = { ...metadata, bounce_type: hard ? "hard" : "soft" };
      return { on: "dsn-failed", metadata: bounce, ...(hard ? { suppress: "bounce" as const } : {}) };
    }
  }
}

/** Returns the outcome of an abuse report; null when its type is no complaint (RFC 5965 7.3). Pure. */
export function toComplaintOutcome({ feedbackType, userAgent, sourceIp }: Complaint): Outcome | null {
  if (NON_COMPLAINT_TYPES.some((row) => row.feedbackType === feedbackType)) return null;
  const metadata = { source: "arf", feedback_type: feedbackType, user_agent: userAgent, source_ip: sourceIp };
  return { on: "complaint", metadata, suppress: "complaint" };
}

/** Decides by the status code, then by the text, then by the reply code as for a refusal in our own session. */
function isHardFailure(reported: ReportedRecipient): boolean {
  const enhanced = bestStatus(reported);
  const text = reported.diagnostic ?? "";
  if (enhanced !== null && !VAGUE_STATUSES.includes(enhanced)) return isHardBounce({ code: 0, enhanced });
  const phrases = classifyPhrases(text);
  if (phrases !== null) return phrases === "hard";
  if (enhanced === "5.1.0") return isHardBounce({ code: 0, enhanced });
  const code = /(?<![\d.])(5\d\d)(?![\d.])/.exec(text)?.[1];
  return code !== undefined && findStatus(text) === null && isHardBounce({ code: Number(code), enhanced: null });
}

/** Returns the report's status, or a more specific one of the same class from the text (Exim writes 5.0.0). */
function bestStatus({ status, diagnostic }: ReportedRecipient): string | null {
  const found = findStatus(diagnostic ?? "");
  if (found === null) return status;
  if (status === null) return found;
  const isVague = VAGUE_STATUSES.includes(status) || status === "4.0.0";
  return isVague && found[0] === status[0] ? found : status;
}
