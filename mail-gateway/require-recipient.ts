import { parseAddress } from "../src/lib/addresses.ts";
import { Refusal, shown } from "./errors.ts";

/**
 * Throws Refusal 553 for a recipient that the API would refuse. The Worker checks all recipients again at the end of the
 * message, but can then only refuse it for all of them.
 */
export function requireRecipient(address: string): void {
  if (!parseAddress(address)) throw new Refusal(`553 5.1.3 <${shown(address)}> is no valid email address`);
}
