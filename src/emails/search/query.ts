/** The words of a search (specification: Search `q` syntax; decisions 4). Pure. */

export interface SearchQuery {
  /** Substrings that must each be found in the place they are under. */
  to: string[];
  from: string[];
  domain: string[];
  /** Exact values; each must hold. */
  status: string[];
  tag: string[];
  /** Free words: each somewhere in sender, subject or recipients. */
  words: string[];
}

const FIELDS = ["to", "from", "domain", "status", "tag"] as const;

// A field and its value, or a word; either may be in quotes, and then hold spaces. A quote that is never closed
// runs to the end.
const TOKEN = /(?:(to|from|domain|status|tag):)?(?:"([^"]*)"?|(\S+))/giu;

/**
 * Takes a query apart. A field without a value asks for nothing; a token may be repeated, and all must hold; what
 * looks like a field but is none (`re:`, `http://…`) is a word.
 */
export function parseSearchQuery(q: string): SearchQuery {
  const query: SearchQuery = { to: [], from: [], domain: [], status: [], tag: [], words: [] };
  for (const [, field, quoted, plain] of q.matchAll(TOKEN)) {
    const value = (quoted ?? plain ?? "").trim();
    const place = FIELDS.find((name) => name === field?.toLowerCase()) ?? "words";
    // `to:` alone is read as a word by the pattern, since nothing follows it.
    if (value === "" || (place === "words" && isBareField(value))) continue;
    query[place].push(value);
  }
  return query;
}

const isBareField = (word: string) => FIELDS.some((name) => word.toLowerCase() === `${name}:`);
