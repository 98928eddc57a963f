/** The Public Suffix List among the static assets (`npm run client`). The host of the address is not used. */
const LIST = "https://assets.invalid/public-suffixes.txt";

/**
 * Returns whether a domain name in A-label form is a public suffix of the Public Suffix List, private section included (co.uk,
 * github.io). Unrelated parties register names below such a suffix, so no workspace can own it. Each call reads the list, about
 * 150 KB, from the static assets, so that it takes no room in the Worker. Throws when it cannot be read.
 */
export async function isPublicSuffix(assets: Fetcher, name: string): Promise<boolean> {
  const response = await assets.fetch(LIST);
  if (!response.ok) throw new Error(`the Public Suffix List cannot be read from the static assets: ${response.status}`);
  return isSuffixOf(await response.text(), name);
}

/** Returns whether a name is a public suffix by the rules of `list`, one a line (https://github.com/publicsuffix/list/wiki/Format). */
export function isSuffixOf(list: string, name: string): boolean {
  const has = (rule: string) => list.includes(`\n${rule}\n`);
  const parent = name.slice(name.indexOf(".") + 1);
  // A top-level domain that the list does not have is a public suffix by its default rule, `*`.
  if (parent === name) return true;
  return !has(`!${name}`) && (has(name) || has(`*.${parent}`));
}
