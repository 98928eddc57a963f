/** Limits of notifications that leave the service. Times are in milliseconds. Pure. */

import { MINUTE_MS } from "../../lib/time.ts";

/** No further notification is started after this time: half a lease. */
export const RUN_MS = 60_000;

/** Slack gets this long to respond. */
export const SLACK_TIMEOUT_MS = 10_000;

/** The waits after failed attempts (docs/contract/notifications.md#waits-of-notifications). After the last one it is given up. */
const RETRY_DELAYS_MS = [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 120 * MINUTE_MS] as const;

/** Returns the wait after the failed attempt of this number, which begins with 1, or null when it was the last one. */
export const retryDelay = (attempt: number): number | null => RETRY_DELAYS_MS[attempt - 1] ?? null;

/** Result of one attempt. `refused`: every further one would be too. `unwanted`: no recipient wants it by this channel now. */
export type SendOutcome = "sent" | "refused" | "later" | "unwanted";

/** Returns what a response of Slack means. 4xx but 429: the webhook is revoked, or its channel archived, so later attempts fail too. */
export function slackOutcome(status: number): SendOutcome {
  if (status >= 200 && status < 300) return "sent";
  return status === 429 || status >= 500 ? "later" : "refused";
}

/** Returns text for Slack's `mrkdwn`, in which these characters would begin links and mentions. */
export function escapeSlack(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
