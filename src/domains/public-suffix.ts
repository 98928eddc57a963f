import { getPublicSuffix } from "tldts";

/**
 * Whether a name is a public suffix: one under which strangers register names, by the Public Suffix List, private
 * section included (co.uk, github.io). Nobody can own all of it, so nobody may send as it.
 */
export function isPublicSuffix(name: string): boolean {
  return getPublicSuffix(name, { allowPrivateDomains: true }) === name;
}
