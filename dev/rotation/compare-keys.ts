import type { DeployedKeys } from "../../src/operations/secret-rotation/deployed-keys.ts";

interface Key {
  version: number;
  fingerprint: string;
}

/**
 * Compares the master keys of a file with those of the running Worker, both as `<version>.<fingerprint>` with the key in use first.
 * Returns why the file must not replace them, or null when it may: it has each key that the Worker uses and that stored secrets
 * need, and is not from before a rotation. Pure.
 */
export function findKeyRefusal(own: readonly string[], deployed: DeployedKeys): string | null {
  const ours = own.map(toKey);
  const theirs = deployed.fingerprints.map(toKey);
  const [used, inUse] = [ours[0], theirs[0]];
  if (!used || !inUse) return "it has no key";
  const versions = numbers(ours);
  const has = (version: number) => ours.some((key) => key.version === version);
  const other = theirs.find((key) =>
    ours.some(({ version, fingerprint }) => version === key.version && fingerprint !== key.fingerprint),
  );
  if (other) return `its key ${other.version} is another one than key ${other.version} of the Worker`;
  if (!has(inUse.version)) return `it has ${versions}, and the Worker uses key ${inUse.version}`;
  if (used.version < inUse.version) return `it uses key ${used.version}, and the Worker uses key ${inUse.version}`;
  const newest = Math.max(...ours.map(({ version }) => version));
  const newer = theirs.find((key) => key.version > newest);
  if (newer) return `it has ${versions}, and the Worker has key ${newer.version} too`;
  // A key that the Worker does not have either is lost already.
  const needed = (deployed.sealed_under ?? []).filter(
    (version) => !has(version) && theirs.some((key) => key.version === version),
  );
  if (needed.length > 0) return `stored secrets are encrypted under key ${needed.join(", ")}, which it lacks`;
  if (!theirs.some(({ version }) => version === used.version))
    return `it uses key ${used.version}, which the Worker does not know yet`;
  return null;
}

function toKey(text: string): Key {
  const dot = text.indexOf(".");
  return { version: Number(text.slice(0, dot)), fingerprint: text.slice(dot + 1) };
}

const numbers = (keys: readonly Key[]) =>
  `key ${keys
    .map(({ version }) => version)
    .sort((a, b) => a - b)
    .join(", ")}`;
