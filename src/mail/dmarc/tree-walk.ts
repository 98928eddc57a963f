import { onError } from "../../lib/errors.ts";
import { type DmarcRecord, isDmarcRecord, parseDmarcRecord } from "./record.ts";

/** Returns the TXT values of a name, none when there are none, or null when DNS did not respond. */
export type LookUpTxt = (name: string) => Promise<readonly string[] | null>;

/** Labels of a name from which the walk goes on when it has more than eight (RFC 9989 4.10). */
const MAX_LABELS = 7;

interface Step {
  name: string;
  record: DmarcRecord;
  text: string;
}

/** The policy that receivers apply to mail of a domain. */
export interface FoundPolicy extends Step {
  /** True when it is that of a domain above. */
  isInherited: boolean;
}

/** Thrown when DNS did not respond, inside of this file. */
class NoResponse extends Error {}
const nullWithoutResponse = onError(NoResponse, () => null);

/** Returns the organizational domain of a name by the tree walk of RFC 9989 4.10, at most eight look-ups; null when DNS did not respond. */
export function findOrganizationalDomain(lookUp: LookUpTxt, name: string): Promise<string | null> {
  return walk(lookUp, name).then((steps) => organizationalDomainOf(name, steps), nullWithoutResponse);
}

/**
 * Returns the policy that applies to a domain (RFC 9989 4.10.1): its own, else that of its organizational domain, else that of its
 * public suffix; "none" without one, null when DNS did not respond. At most eight look-ups.
 */
export const findPolicy = (lookUp: LookUpTxt, name: string): Promise<FoundPolicy | "none" | null> =>
  readPolicy(lookUp, name).catch(nullWithoutResponse);

async function readPolicy(lookUp: LookUpTxt, name: string): Promise<FoundPolicy | "none"> {
  const own = await readRecord(lookUp, name);
  if (own) return { ...own, isInherited: false };
  const steps = await walk(lookUp, name);
  const organizational = organizationalDomainOf(name, steps);
  const found = steps.find((step) => step.name === organizational) ?? steps.find(({ record }) => record.psd === "y");
  return found ? { ...found, isInherited: true } : "none";
}

/** Returns the records from a name upwards, up to one that ends the walk. */
async function walk(lookUp: LookUpTxt, name: string): Promise<Step[]> {
  const steps: Step[] = [];
  for (const at of namesOfWalk(name)) {
    const step = await readRecord(lookUp, at);
    if (!step) continue;
    steps.push(step);
    if (step.record.psd === "n" || (step.record.psd === "y" && at !== name)) break;
  }
  return steps;
}

/** Returns the names that the walk asks for, the name itself first: at most eight. */
function namesOfWalk(name: string): string[] {
  const labels = name.split(".");
  const above = labels.length > MAX_LABELS + 1 ? labels.slice(-MAX_LABELS) : labels.slice(1);
  return [name, ...above.map((_, index) => above.slice(index).join("."))];
}

function organizationalDomainOf(name: string, steps: readonly Step[]): string {
  const last = steps.at(-1);
  if (last?.record.psd === "n") return last.name;
  if (last?.record.psd === "y" && last.name !== name) return oneBelow(name, last.name);
  return last?.name ?? name;
}

/** Returns the name of one label more than `above` on the way to `name`. */
const oneBelow = (name: string, above: string): string =>
  name
    .split(".")
    .slice(-above.split(".").length - 1)
    .join(".");

/** Several records count as none (RFC 9989 4.10). */
async function readRecord(lookUp: LookUpTxt, name: string): Promise<Step | null> {
  const values = await lookUp(`_dmarc.${name}`);
  if (values === null) throw new NoResponse();
  const [text, ...more] = values.filter(isDmarcRecord);
  return text === undefined || more.length > 0 ? null : { name, text, record: parseDmarcRecord(text) };
}
