/** Changes of a release in the texts of the repository. Pure. */

const PARTS = ["major", "minor", "patch"] as const;
const UNRELEASED = "## Unreleased";

/** Returns the version after `current`: `wanted` is one of major, minor and patch, or a greater version. Throws an Error otherwise. */
export function nextVersion(current: string, wanted: string): string {
  const numbers = parse(current);
  const part = (PARTS as readonly string[]).indexOf(wanted);
  if (part >= 0) return numbers.map((number, at) => (at < part ? number : at === part ? number + 1 : 0)).join(".");
  const given = parse(wanted);
  const first = given.findIndex((number, at) => number !== numbers[at]);
  if (first < 0 || (given[first] ?? 0) < (numbers[first] ?? 0)) {
    throw new Error(`${wanted} is not above the version ${current}.`);
  }
  return wanted;
}

function parse(version: string): number[] {
  if (!/^(0|[1-9]\d{0,5})(\.(0|[1-9]\d{0,5})){2}$/.test(version)) {
    throw new Error(`"${version}" is not a version; give major, minor, patch or three numbers.`);
  }
  return version.split(".").map(Number);
}

/** Returns CHANGELOG.md with the unreleased entries under the version. Throws an Error when there are none. */
export function releaseChangelog(text: string, version: string, dateAndCommit: string): string {
  const start = text.indexOf(UNRELEASED);
  if (start < 0) throw new Error(`CHANGELOG.md has no "${UNRELEASED}".`);
  const after = start + UNRELEASED.length;
  const end = text.indexOf("\n## ", after);
  const entries = text.slice(after, end < 0 ? undefined : end).trim();
  if (entries === "") throw new Error("CHANGELOG.md has no unreleased entries: there is nothing to release.");
  return `${text.slice(0, after)}\n\n## ${version} (${dateAndCommit})${text.slice(after)}`;
}

/** Returns package.json, package-lock.json or src/lib/version.ts with another version of this package. */
export function setVersion(text: string, current: string, version: string): string {
  // The first two in package-lock.json are those of this package, and the only one in package.json is.
  let left = text.includes('"lockfileVersion"') ? 2 : 1;
  const fields = text.replaceAll(`"version": "${current}"`, (found) =>
    left-- > 0 ? `"version": "${version}"` : found,
  );
  return fields.replace(`VERSION = "${current}"`, `VERSION = "${version}"`);
}
