import { ipNetwork } from "../../lib/ip-addresses.ts";

/** Limits of mail that is submitted by SMTP (docs/contract/smtp.md#submission). Pure. */

/** Bytes of one message on the wire. */
export const MAX_WIRE_BYTES = 36 * 1024 * 1024;
/** Bytes of a message whose content goes into the row of the email. JSON escapes some of them. */
export const MAX_ROW_BYTES = 15 * 1024;
/** How long the same message counts as a repeat after its response was lost, in ms. */
export const REPEAT_MS = 10 * 60_000;

const WINDOW_SECONDS = 900;

/** Failed logins of one username from one network, of one username, and from one network. */
const failurePolicies = {
  userAndNetwork: { name: "failed-smtp-logins-per-network", limit: 10, windowSeconds: WINDOW_SECONDS },
  user: { name: "failed-smtp-logins", limit: 100, windowSeconds: WINDOW_SECONDS },
  network: { name: "failed-smtp-logins-of-network", limit: 100, windowSeconds: WINDOW_SECONDS },
} as const;

/** Returns the limit of failed logins from the network of an ip. */
export const networkLimit = (ip: string) => [failurePolicies.network, ipNetwork(ip)] as const;

/** Returns the limits of failed logins with a username from an ip. */
export const loginLimits = (username: string, ip: string) =>
  ({
    network: [failurePolicies.userAndNetwork, `${username} ${ipNetwork(ip)}`],
    target: [failurePolicies.user, username],
    others: [networkLimit(ip)],
  }) as const;
