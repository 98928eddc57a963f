import { canonicalDomain } from "../../lib/address-domain.ts";
import type { MethodResult } from "../../mail/authentication-results/parse.ts";
import { readReceiverResults } from "../../mail/authentication-results/receiver-results.ts";
import type { CheckedAuthentication } from "../../mail/authentication-results/stored-results.ts";
import type { ParsedMessage } from "../../mail/messages/parse.ts";
import type { Ctx } from "../../platform/context.ts";

/** Bytes of a header in which the fields of the server that received the message are. */
export const RESULTS_BYTES = 65_536;

/** Returns what the mail server before the Email Worker wrote into the header of a message, of which `start` has the first bytes. */
export function resultsInHeader(
  ctx: Pick<Ctx, "settings">,
  start: Uint8Array,
  { headerSize, from }: Pick<ParsedMessage, "headerSize" | "from">,
): CheckedAuthentication | null {
  const head = new TextDecoder().decode(start.subarray(0, Math.min(headerSize, RESULTS_BYTES)));
  const results = readWorkerResults(head, ctx.settings.emailWorkerAuthservId, from?.email.split("@").at(-1) ?? null);
  // No domain answers for the text of an author without an address, as at the gateway.
  if (results === null || from?.email !== "") return results;
  return { ...results, dmarc: { result: "fail", domain: null }, dmarc_policy: "quarantine" };
}

/** Results by how little they say for a message. Others count as `neutral`. */
const WORST = ["fail", "permerror", "temperror", "softfail", "neutral", "none", "pass"];

/**
 * Returns what the mail server before the Email Worker found about a message; null when `authservId` is empty or the message has no results
 * of that server. `fromDomain` is the domain of the first From address. Of several results of one kind the worst counts, and a pass must
 * follow the grammar and be of this domain: text of a sender in a result (its envelope address, for one) can only make it worse. Pure.
 */
export function readWorkerResults(
  head: string,
  authservId: string,
  fromDomain: string | null,
): CheckedAuthentication | null {
  const found = authservId === "" ? null : readReceiverResults(head, authservId);
  if (!found) return null;
  const results = found.results.filter(({ result, isComplete }) => isComplete || result !== "pass");
  const of = (method: string) => results.filter((result) => result.method === method);
  const spf = worst(of("spf").filter(({ properties }) => properties.has("smtp.mailfrom"))) ?? worst(of("spf"));
  const arc = worst(of("arc"))?.result ?? null;
  const dmarc = worst(of("dmarc").filter((result) => result.result !== "pass" || isOfDomain(result, fromDomain)));
  return {
    spf: spf && { result: spf.result, domain: domainOf(spf, "smtp.mailfrom") ?? domainOf(spf, "smtp.helo") },
    dkim: of("dkim").map((dkim) => ({
      result: dkim.result,
      domain: domainOf(dkim, "header.d") ?? domainOf(dkim, "header.i"),
      selector: dkim.properties.get("header.s") ?? null,
    })),
    dmarc: dmarc && { result: dmarc.result, domain: domainOf(dmarc, "header.from") },
    dmarc_policy: dmarc?.properties.get("policy.dmarc")?.toLowerCase() ?? null,
    // A server that seals what it found unsealed, or validly sealed, leaves a valid chain.
    arc: found.isSealed && arc === "none" ? "pass" : arc,
  };
}

function worst(results: readonly MethodResult[]): MethodResult | null {
  return results.toSorted((a, b) => rank(a) - rank(b))[0] ?? null;
}

const rank = ({ result }: MethodResult) => WORST.indexOf(WORST.includes(result) ? result : "neutral");

/** Returns the domain in a property, which may be an address. */
function domainOf({ properties }: MethodResult, property: string): string | null {
  const value = properties.get(property);
  return value === undefined ? null : value.slice(value.lastIndexOf("@") + 1).slice(0, 1_000) || null;
}

function isOfDomain(result: MethodResult, fromDomain: string | null): boolean {
  const domain = domainOf(result, "header.from");
  if (domain === null || fromDomain === null) return false;
  const canonical = canonicalDomain(domain);
  return canonical !== null && canonical === canonicalDomain(fromDomain);
}
