import * as z from "zod";

const word = z.string().max(100);
const name = z.string().max(1_000).nullable();

/** Results of the checks of an incoming message in the words of RFC 8601, as the server that received it found them. */
export const Authentication = z
  .object({
    spf: z.object({ result: word, domain: name }).nullable(),
    dkim: z.array(z.object({ result: word, domain: name, selector: name })).max(100),
    dmarc: z.object({ result: word, domain: name }).nullable(),
  })
  .meta({ ref: "Authentication" });
export type Authentication = z.output<typeof Authentication>;

/** Results of a server's checks of an incoming message, with the DMARC policy of its sender's domain. */
export interface CheckedAuthentication extends Authentication {
  dmarc_policy: string | null;
  /** Result for the ARC seals of the message (RFC 8617). Null: not checked. */
  arc: string | null;
}

const NOTHING: Authentication = { spf: null, dkim: [], dmarc: null };

/** Returns stored results. Nulls and an empty list stand for checks that were not made, or not by a trusted server. */
export function readAuthentication(json: string | null): Authentication {
  return Authentication.safeParse(JSON.parse(json ?? "{}")).data ?? NOTHING;
}

/** Returns whether DMARC asks for a message to be kept out of INBOX (RFC 9989 4.7). */
export function failsDmarc({ dmarc, dmarc_policy }: CheckedAuthentication): boolean {
  return dmarc?.result === "fail" && (dmarc_policy === "quarantine" || dmarc_policy === "reject");
}
