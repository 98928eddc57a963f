import { crc32 } from "node:zlib";
import { POLICY_SECONDS, type PolicyMode } from "./policy-rules.ts";

/** Returns the MTA-STS policy of the domains whose mail comes here (RFC 8461 3.2). Pure. */
export const mtaStsPolicy = ({ mxHost }: { mxHost: string }, mode: PolicyMode): string =>
  [
    "version: STSv1",
    `mode: ${mode}`,
    ...(mode === "none" ? [] : [`mx: ${mxHost}`]),
    `max_age: ${POLICY_SECONDS[mode]}`,
    "",
  ].join("\r\n");

/** Returns the id of the policy, which changes with its text (RFC 8461 3.1: up to 32 letters and digits). Pure. */
export const mtaStsId = (settings: { mxHost: string }, mode: PolicyMode): string =>
  crc32(mtaStsPolicy(settings, mode)).toString(16).padStart(8, "0");
