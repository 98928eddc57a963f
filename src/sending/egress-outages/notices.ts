import type { Notice } from "../../notices/notifications/index.ts";
import type { Outage } from "./rules.ts";

/**
 * Returns the notification of an outage that lasts. It is not emailed: the email would wait with the others, and come when the
 * outage is over.
 */
export function outageNotice({ id, beganAt }: Outage): Notice & { key: string } {
  return {
    category: "alerts",
    severity: "warning",
    title: "Emails wait for the mail server of the service",
    body: `Since ${minuteOf(beganAt)} the service has not been able to hand over emails. They are kept, and leave by themselves when it can again.`,
    href: "/emails",
    key: `outage ${id}`,
    hasOwnEmail: true,
  };
}

/** Returns the notification of the end of an outage. It names both times, as its email may be read much later. */
export function endNotice({ id, beganAt, endedAt }: Outage): Notice & { key: string } {
  return {
    category: "alerts",
    severity: "success",
    title: "Emails no longer wait for the mail server of the service",
    body: `From ${minuteOf(beganAt)} to ${minuteOf(endedAt ?? beganAt)} the service could not hand over emails. Those that waited leave now, oldest first.`,
    href: "/emails",
    key: `outage-end ${id}`,
  };
}

const minuteOf = (at: number) => `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
