import { crc32 } from "../../lib/crc32.ts";

/**
 * How long a sender keeps the policy, in seconds. A day, so that a removed policy ends soon: one that a sender still knows in mode
 * `enforce` holds its mail back (RFC 8461 8.3). In mode `testing` no mail waits for it.
 */
export const POLICY_SECONDS = 86_400;

/** Returns the MTA-STS policy of the domains whose mail comes here (RFC 8461 3.2). Pure. */
export const mtaStsPolicy = ({ mxHost }: { mxHost: string }): string =>
  ["version: STSv1", "mode: testing", `mx: ${mxHost}`, `max_age: ${POLICY_SECONDS}`, ""].join("\r\n");

/** Returns the id of the policy, which changes with its text (RFC 8461 3.1: up to 32 letters and digits). Pure. */
export const mtaStsId = (settings: { mxHost: string }): string =>
  crc32(mtaStsPolicy(settings)).toString(16).padStart(8, "0");
