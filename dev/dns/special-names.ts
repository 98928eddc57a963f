import type { DomainRecord } from "./list-domains.ts";
import { type Found, SERVFAIL } from "./resolve.ts";

/** A name prefix that makes the domain's DNS records wrong, incomplete or unavailable. */
export interface SpecialName {
  /** Prefix of one label of the name. */
  prefix: string;
  /** Text for the DNS page. */
  description: string;
  /** Maps the records that the API asks for to the records that DNS has. */
  publishes: (records: DomainRecord[]) => DomainRecord[];
  /** The answer to every question, whatever is published. */
  answer?: Found;
}

const none = () => [];

/** The special names, for testing failed verifications: for example `wrong-shop.test`. */
export const SPECIAL_NAMES: readonly SpecialName[] = [
  {
    prefix: "wrong-",
    description: "Every record exists with a wrong value: another token, other keys, other hosts.",
    publishes: (records) => records.map((record) => ({ ...record, value: wrongValue(record) })),
  },
  { prefix: "missing-", description: "No record is published.", publishes: none },
  {
    prefix: "partial-",
    description: "All records except the DKIM records are published.",
    publishes: (records) => records.filter(({ purpose }) => purpose !== "dkim"),
  },
  { prefix: "servfail-", description: "Every query is answered with SERVFAIL.", publishes: none, answer: SERVFAIL },
  { prefix: "timeout-", description: "No query is answered.", publishes: none, answer: "timeout" },
];

/** Returns the special name that a domain name or one of its parents matches, or undefined. */
export function findSpecialName(name: string): SpecialName | undefined {
  const labels = name.split(".");
  return SPECIAL_NAMES.find(({ prefix }) => labels.some((label) => label.startsWith(prefix)));
}

function wrongValue({ purpose, type, value }: DomainRecord): string {
  if (purpose === "ownership") return value.replace(/=.*/, `=${"0".repeat(40)}`);
  if (purpose === "dkim") return value.replace(/p=.*/, swapCase);
  if (purpose === "spf") return "v=spf1 include:elsewhere.test -all";
  if (purpose === "dmarc") return "v=DMARC1; p=perhaps";
  return type === "TXT" ? "something else" : "elsewhere.test";
}

/** Swaps the case of the base64 value of a `p=` tag, which gives another key of the same length. */
function swapCase(tag: string): string {
  const swapped = [...tag.slice(2)].map((char) =>
    char === char.toLowerCase() ? char.toUpperCase() : char.toLowerCase(),
  );
  return `p=${swapped.join("")}`;
}
