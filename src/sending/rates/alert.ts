import { dailyKey, type Notice } from "../../notices/notifications/index.ts";
import { ALERTED_BOUNCES, ALERTED_COMPLAINTS, isTooHigh, type RateCounts } from "./rules.ts";

/** Returns the notices about the rates of a workspace in the last hour, each with a key that is new once a UTC day. Pure. */
export function rateNotices({ sent, bounced, softBounced, complained }: RateCounts, now: number): Notice[] {
  const percent = (count: number, digits: number) => `${((100 * count) / sent).toFixed(digits)} %`;
  const notices: Notice[] = [];
  const allBounced = bounced + softBounced;
  if (isTooHigh(allBounced, sent, ALERTED_BOUNCES))
    notices.push({
      category: "alerts",
      severity: "warning",
      href: "/analytics",
      key: dailyKey("bounce-rate", now),
      title: `${percent(allBounced, 1)} of the last hour's emails have bounced`,
      body: `${allBounced} of ${sent} recipients have bounced in 60 minutes, ${bounced} of them since the address does not work. Above ${100 * ALERTED_BOUNCES} %, mailbox providers begin to refuse mail. Remove addresses that do not exist, and mail only people who asked for it.`,
    });
  if (isTooHigh(complained, sent, ALERTED_COMPLAINTS))
    notices.push({
      category: "alerts",
      severity: "error",
      href: "/analytics",
      key: dailyKey("complaint-rate", now),
      title: `${percent(complained, 2)} of the last hour's emails were marked as spam`,
      body: `${complained} of ${sent} recipients have complained in 60 minutes. Above ${100 * ALERTED_COMPLAINTS} %, mailbox providers begin to file mail as spam. Mail only people who asked for it, and make it easy to unsubscribe.`,
    });
  return notices;
}
