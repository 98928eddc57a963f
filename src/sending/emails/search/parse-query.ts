/** Parses search queries (docs/contract/paging.md#email-search). Pure. */

export interface SearchQuery {
  /** Substrings; each must occur in the field. */
  to: string[];
  from: string[];
  domain: string[];
  /** Exact values; each must match. */
  status: string[];
  tag: string[];
  /** Free words; each must occur in sender, subject or recipients. */
  words: string[];
}

const FIELDS = ["to", "from", "domain", "status", "tag"] as const;

// An optional field and a value. A quoted value may contain spaces; a missing closing quote ends at the end of the query.
const TOKEN = /(?:(to|from|domain|status|tag):)?(?:"([^"]*)"?|(\S+))/giu;

/**
 * Returns the tokens of a query. A repeated token must match each time. A field without a value is ignored. A prefix that
 * is no field (`re:`, `http://…`) belongs to a word.
 */
export function parseSearchQuery(q: string): SearchQuery {
  const query: SearchQuery = { to: [], from: [], domain: [], status: [], tag: [], words: [] };
  for (const [, field, quoted, plain] of q.matchAll(TOKEN)) {
    const value = (quoted ?? plain ?? "").trim();
    const target = FIELDS.find((name) => name === field?.toLowerCase()) ?? "words";
    // The pattern matches a bare `to:` as a word.
    if (value === "" || (target === "words" && isBareField(value))) continue;
    query[target].push(value);
  }
  return query;
}

const isBareField = (word: string) => FIELDS.some((name) => word.toLowerCase() === `${name}:`);
