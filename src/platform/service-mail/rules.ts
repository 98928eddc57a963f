import { addressKey } from "../../lib/addresses.ts";

/**
 * Why the service writes to a person, and who causes it. A stranger is anyone but the reader: what strangers cause is counted by its
 * reader (`countForReader`). The other mails have limits of their own, and are never refused because of others.
 */
export const causes = {
  invitation: { by: "stranger", limits: "20 an hour of a workspace, one a day from a workspace to an address" },
  forward_request: { by: "stranger", limits: "20 an hour of a workspace, one an hour to an address" },
  list_confirmation: {
    by: "stranger",
    limits: "3 in 7 days of a list and 10 of a workspace to an address; forms by network",
  },
  sign_in_link: { by: "reader", limits: "5 in 15 minutes to an address, 20 from an ip" },
  transfer: {
    by: "agreement",
    limits: "100 offers a day of a workspace to an address; each has one accept link and some stop links",
  },
  security_notice: { by: "reader", limits: "one for each change of the account or mailbox" },
  operator_notice: { by: "service", limits: "one for each state of a database" },
  notification: { by: "membership", limits: "one for each notification that a member has chosen to get by mail" },
} as const;

export type Cause = keyof typeof causes;
/** Causes whose mail is counted by its reader. */
export type StrangersCause = { [Name in Cause]: (typeof causes)[Name]["by"] extends "stranger" ? Name : never }[Cause];

/** Mails that a reader gets of strangers in any 24 hours. */
export const strangersPolicy = { name: "mails-of-strangers", limit: 10, windowSeconds: 24 * 3_600 } as const;

/** Transfers that a workspace offers to one reader in any 24 hours. They are counted apart from the mails of strangers. */
export const offersPolicy = { name: "transfer-offers", limit: 100, windowSeconds: 24 * 3_600 } as const;

/** Domains that ignore dots in an address, each with the domain under which its addresses are counted. */
const DOTLESS: Readonly<Record<string, string>> = { "gmail.com": "gmail.com", "googlemail.com": "gmail.com" };

/** Returns the mailbox of an address: without `+tag`, and without dots where its provider ignores them. Pure. */
export function readerOf(address: string): string {
  const key = addressKey(address);
  const at = key.lastIndexOf("@");
  const [local = ""] = key.slice(0, at).split("+");
  const domain = key.slice(at + 1);
  const dotless = DOTLESS[domain];
  return dotless ? `${local.replaceAll(".", "")}@${dotless}` : `${local}@${domain}`;
}

/** Returns a name that anyone may have chosen, for the text of a mail: no program makes a link of it. Pure. */
export const quoteName = (name: string): string => `"${name.replace(/(?<=\S)[.:/@]+(?=\S)/g, "$& ")}"`;
