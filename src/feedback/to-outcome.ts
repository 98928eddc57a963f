import type { Outcome } from "../emails/index.ts";
import type { Complaint, ReportedRecipient } from "../mail/reports/index.ts";
import { isHardBounce, NO_COMPLAINT, readPhrases, statusIn, VAGUE_STATUSES } from "../mail/reports/index.ts";

/**
 * What a report makes of a recipient, in the words of the emails' table of moves (decisions 4). Only an address that
 * does not work is suppressed. A delay is told and changes nothing. Pure.
 */
export function toFact(reported: ReportedRecipient): Outcome {
  const metadata = {
    source: "dsn",
    dsn: statusOf(reported),
    ...(reported.diagnostic === null ? {} : { response: reported.diagnostic }),
    ...(reported.remoteMta === null ? {} : { relay: reported.remoteMta }),
  };
  switch (reported.action) {
    case "delivered":
    // Handed to where no report will come from, or to a list's members: nothing more will be told.
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

/** What an abuse report makes of its recipient; null when it is no complaint (RFC 5965 7.3). Pure. */
export function toComplaintFact({ feedbackType, userAgent, sourceIp }: Complaint): Outcome | null {
  if (NO_COMPLAINT.some((row) => row.feedbackType === feedbackType)) return null;
  const metadata = { source: "arf", feedback_type: feedbackType, user_agent: userAgent, source_ip: sourceIp };
  return { on: "complaint", metadata, suppress: "complaint" };
}

/**
 * Whether a failed recipient's address does not work: by its code where that is telling, by the words where it is
 * not, else by the reply code, as a refusal in our own session would be read.
 */
function isHardFailure(reported: ReportedRecipient): boolean {
  const enhanced = statusOf(reported);
  const words = reported.diagnostic ?? "";
  if (enhanced !== null && !VAGUE_STATUSES.includes(enhanced)) return isHardBounce({ code: 0, enhanced });
  const phrases = readPhrases(words);
  if (phrases !== null) return phrases === "hard";
  if (enhanced === "5.1.0") return isHardBounce({ code: 0, enhanced });
  const code = /(?<![\d.])(5\d\d)(?![\d.])/.exec(words)?.[1];
  return code !== undefined && statusIn(words) === null && isHardBounce({ code: Number(code), enhanced: null });
}

/** The report's code, or a more telling one of the same class in the remote system's words (Exim writes 5.0.0). */
function statusOf({ status, diagnostic }: ReportedRecipient): string | null {
  const said = statusIn(diagnostic ?? "");
  if (said === null) return status;
  if (status === null) return said;
  const isVague = VAGUE_STATUSES.includes(status) || status === "4.0.0";
  return isVague && said[0] === status[0] ? said : status;
}
