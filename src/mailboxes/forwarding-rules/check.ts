import type { CallerCtx } from "../../access/caller.ts";
import { canonicalDomain } from "../../lib/address-domain.ts";
import { parseAddress } from "../../lib/addresses.ts";
import { bodyError, unprocessable } from "../../lib/errors.ts";
import { checkPublicUrl } from "../../platform/public-urls/check.ts";
import { getMailbox } from "../mailboxes/index.ts";
import type { RuleMatch } from "./rules.ts";
import type { RuleIn, RuleRow } from "./schema.ts";

/** A target in the form in which it is stored. */
export interface CheckedTarget {
  action: RuleRow["action"];
  target: string;
  /** The canonical form of an address. */
  targetKey: string | null;
}

/** Returns the target of a rule. Throws 422 for an address or URL that is not valid, and 404 for an unknown mailbox. */
export async function checkTarget(ctx: CallerCtx, { type, target }: RuleIn["action"]): Promise<CheckedTarget> {
  if (type === "webhook") return { action: type, target: await checkUrl(ctx, target), targetKey: null };
  if (type === "mailbox") return { action: type, target: (await getMailbox(ctx, target)).id, targetKey: null };
  const address = parseAddress(target.trim());
  if (!address) throw unprocessable([bodyError(["action", "target"], "target must be a valid email address")]);
  return { action: type, target: address.address, targetKey: address.key };
}

async function checkUrl(ctx: CallerCtx, target: string): Promise<string> {
  const checked = await checkPublicUrl(ctx, target);
  if ("problem" in checked)
    throw unprocessable([bodyError(["action", "target"], `target is refused: ${checked.problem}`)]);
  return target;
}

/** Throws 422 for a condition that can never hold: text that is neither an address nor `@` and a domain. */
export function checkMatch(match: RuleMatch): void {
  const errors = (["from", "to"] as const).flatMap((field) => {
    const wanted = match[field];
    if (!wanted) return [];
    const isValid = wanted.startsWith("@") ? canonicalDomain(wanted.slice(1)) !== null : parseAddress(wanted) !== null;
    return isValid ? [] : [bodyError(["match", field], `${field} must be an email address, or @ and a domain`)];
  });
  if (errors.length > 0) throw unprocessable(errors);
}

/** Throws 422 unless exactly one of domain and mailbox is given. */
export function requireOneScope({ domain_id, mailbox_id }: RuleIn): void {
  if (Boolean(domain_id) !== Boolean(mailbox_id)) return;
  throw unprocessable([bodyError(["domain_id"], "Give either domain_id or mailbox_id")]);
}
