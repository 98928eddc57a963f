/** The setting NAMED_EGRESS_URLS: egresses by name, for workspaces and domains. Pure; no issue contains a URL. */

/** Name of the egress of EGRESS_URL, and of that of BULK_EGRESS_URL. */
export const MAIN_EGRESS = "main";
export const BULK_EGRESS = "bulk";

/** Names that the setting may have, and its bytes: Cloudflare takes 5 KB of a variable (Workers limits). */
const MAX_NAMED_EGRESSES = 24;
const MAX_BYTES = 5_000;

const NAME = /^[a-z0-9-]{1,32}$/;

/** The egresses of the setting. A name that is given twice has no URL, so that its mail waits. */
export interface NamedEgresses {
  urls: ReadonlyMap<string, string>;
  /** Sentences about what is malformed. An entry without a valid name is named by its position, since it may contain a password. */
  issues: readonly string[];
}

/** Parses `<name>=<URL>` entries that are separated by spaces or lines. Entries beyond MAX_NAMED_EGRESSES are left out. */
export function parseNamedEgresses(text: string): NamedEgresses {
  const urls = new Map<string, string>();
  const issues: string[] = [];
  const entries = text.split(/\s+/).filter((entry) => entry !== "");
  if (text.length > MAX_BYTES) issues.push(`has ${text.length} characters; the limit is ${MAX_BYTES}`);
  if (entries.length > MAX_NAMED_EGRESSES)
    issues.push(`has ${entries.length} egresses; the limit is ${MAX_NAMED_EGRESSES}`);
  for (const [index, entry] of entries.slice(0, MAX_NAMED_EGRESSES).entries()) {
    const name = entry.slice(0, Math.max(0, entry.indexOf("=")));
    const issue = issueOf(name, urls);
    if (issue !== null) issues.push(`entry ${index + 1} ${issue}`);
    if (issue === null) urls.set(name, entry.slice(name.length + 1));
    else if (urls.has(name)) urls.set(name, "");
  }
  return { urls, issues: issues.map((issue) => `NAMED_EGRESS_URLS: ${issue}`) };
}

function issueOf(name: string, urls: ReadonlyMap<string, string>): string | null {
  if (!NAME.test(name)) return "must begin with a name of 1 to 32 characters a-z, 0-9 or - and an equals sign";
  if (name === MAIN_EGRESS || name === BULK_EGRESS) return `has the name ${name}, which another setting has`;
  return urls.has(name) ? `repeats the name ${name}` : null;
}
