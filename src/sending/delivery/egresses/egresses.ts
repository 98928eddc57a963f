import { BULK_EGRESS, MAIN_EGRESS } from "../../../platform/settings/named-egresses.ts";
import type { Settings } from "../../../platform/settings/settings.ts";
import { type Egress, egressOf, isKnownToHold, toEgress, type UnusableEgress } from "./egress.ts";

type EgressesSettings = Pick<Settings, "egressUrl" | "bulkEgressUrl" | "namedEgresses" | "placeholders" | "isLocal">;

/** Returns the names of the egresses that the settings have: that of EGRESS_URL, that of bulk mail, and those with a name. */
export function egressNames({ bulkEgressUrl, namedEgresses }: EgressesSettings): string[] {
  return [MAIN_EGRESS, ...(bulkEgressUrl === "" ? [] : [BULK_EGRESS]), ...namedEgresses.urls.keys()];
}

/** Returns the egress with a name, or why it cannot be used: a name that the settings do not have is `not_configured`. */
export function egressNamed(settings: EgressesSettings, name: string): Egress | UnusableEgress {
  if (name === MAIN_EGRESS) return egressOf(settings);
  if (name === BULK_EGRESS)
    return toEgress(settings, { name, url: settings.bulkEgressUrl, setting: "BULK_EGRESS_URL" });
  const url = settings.namedEgresses.urls.get(name);
  if (url === undefined) return { name, issue: "not_configured", detail: `NAMED_EGRESS_URLS has no egress ${name}` };
  // A name that is given twice has no URL.
  if (url === "") return { name, issue: "malformed", detail: `NAMED_EGRESS_URLS: ${name} has no URL, or two` };
  return toEgress(settings, { name, url, setting: `NAMED_EGRESS_URLS: ${name}` });
}

/** Returns whether an egress beside that of EGRESS_URL is known to hold emails. */
export function isAnyHolding({ bulkEgressUrl, namedEgresses }: EgressesSettings): boolean {
  return [bulkEgressUrl, ...namedEgresses.urls.values()].some(isKnownToHold);
}

/** Returns sentences about egresses beside that of EGRESS_URL that cannot be used, or whose setting is malformed. */
export function findEgressIssues(settings: EgressesSettings): string[] {
  const names = egressNames(settings).filter((name) => name !== MAIN_EGRESS);
  const unusable = names
    .map((name) => egressNamed(settings, name))
    .flatMap((egress) => ("issue" in egress ? egress : []));
  const malformed = unusable.filter(({ issue }) => issue === "malformed").map(({ detail }) => detail);
  return [...settings.namedEgresses.issues, ...malformed];
}
