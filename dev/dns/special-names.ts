import type { DomainRecord } from "./published.ts";
import { type Found, SERVFAIL } from "./resolve.ts";

/** A kind of name whose owner, or whose DNS, does something wrong. */
export interface SpecialName {
  /** What a label of the name begins with. */
  prefix: string;
  /** For the page: what its DNS does. */
  does: string;
  /** What its owner publishes of the records the API names. */
  publishes: (records: DomainRecord[]) => DomainRecord[];
  /** What every question gets, whatever is published. */
  answer?: Found;
}

const none = () => [];

/** Names for trying failures: register `wrong-shop.test`, verify it, and see what the service makes of it. */
export const SPECIAL_NAMES: readonly SpecialName[] = [
  {
    prefix: "wrong-",
    does: "Every record is there, with another value: another token, other keys, other hosts.",
    publishes: (records) => records.map((record) => ({ ...record, value: wrongValue(record) })),
  },
  { prefix: "missing-", does: "Nothing is published.", publishes: none },
  {
    prefix: "partial-",
    does: "Everything is published but the DKIM records.",
    publishes: (records) => records.filter(({ purpose }) => purpose !== "dkim"),
  },
  { prefix: "servfail-", does: "Every question is answered with SERVFAIL.", publishes: none, answer: SERVFAIL },
  { prefix: "timeout-", does: "No question is ever answered.", publishes: none, answer: "timeout" },
];

/** What is special about a name, or about the domain it lies in, if anything. */
export function findSpecial(name: string): SpecialName | undefined {
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

/** Another key of the same length: `p` is base64. The tag itself stays. */
function swapCase(tag: string): string {
  const swapped = [...tag.slice(2)].map((char) =>
    char === char.toLowerCase() ? char.toUpperCase() : char.toLowerCase(),
  );
  return `p=${swapped.join("")}`;
}
