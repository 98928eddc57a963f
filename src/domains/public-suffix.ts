import { getPublicSuffix } from "tldts";

/**
 * Returns whether a name is a public suffix of the Public Suffix List, private section included (co.uk, github.io).
 * Unrelated parties register names below such a suffix, so no workspace can own it.
 */
export function isPublicSuffix(name: string): boolean {
  return getPublicSuffix(name, { allowPrivateDomains: true }) === name;
}
