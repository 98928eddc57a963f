// `npm run lock`: adds missing optional packages to package-lock.json. npm omits the packages of other platforms when the
// registry does not have them, and `npm ci` then rejects the lock file. Entries without an integrity hash get that of the
// registry, where it has the package.
import { readFileSync, writeFileSync } from "node:fs";
import { readArguments } from "./arguments.ts";
import { run } from "./run.ts";

interface Entry {
  version?: string;
  integrity?: string;
  link?: boolean;
  optionalDependencies?: Record<string, string>;
  [field: string]: unknown;
}

readArguments({ usage: "lock" });
const lock = JSON.parse(readFileSync("package-lock.json", "utf8")) as { packages: Record<string, Entry> };
const added: string[] = [];
for (const [parent, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    if (isLocked(parent, name)) continue;
    lock.packages[`node_modules/${name}`] = {
      version,
      optional: true,
      ...(entry.dev ? { dev: true } : {}),
      ...platformOf(name),
    };
    added.push(name);
  }
}
const unknown = Object.entries(lock.packages).filter(
  ([folder, { integrity, link }]) => folder.startsWith("node_modules/") && integrity === undefined && !link,
);
for (const [folder, entry] of unknown) await addIntegrity(folder, entry);
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync("package-lock.json", `${JSON.stringify(lock, null, 2)}\n`);
console.log(added.length === 0 ? "package-lock.json is complete" : `Added to package-lock.json: ${added.join(", ")}`);
const left = unknown.filter(([, { integrity }]) => integrity === undefined).map(([folder]) => folder);
if (left.length > 0) console.log(`The registry has no integrity hash of: ${left.join(", ")}`);

/** Sets the hash of a package that this registry has. */
async function addIntegrity(folder: string, entry: Entry): Promise<void> {
  const name = folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length);
  const { code, output } = await run("npm", [
    "view",
    "--json",
    "--loglevel=silent",
    `${name}@${entry.version}`,
    "dist.integrity",
  ]);
  const integrity: unknown = code === 0 && output.trim() !== "" ? JSON.parse(output) : null;
  if (typeof integrity === "string") entry.integrity = integrity;
}

/** Returns true if package-lock.json has the package in a folder where Node resolves it from `parent`. */
function isLocked(parent: string, name: string): boolean {
  for (let base = parent; ; base = base.slice(0, Math.max(base.lastIndexOf("node_modules/"), 0)).replace(/\/$/, "")) {
    if (`${base === "" ? "" : `${base}/`}node_modules/${name}` in lock.packages) return true;
    if (base === "") return false;
  }
}

/** Returns the os, cpu and libc fields for a package name. npm skips optional packages that do not match the machine. */
function platformOf(name: string): { os?: string[]; cpu?: string[]; libc?: string[] } {
  const os = /android|darwin|freebsd|netbsd|openbsd|openharmony|aix|sunos|win32|windows|linux/.exec(name)?.[0];
  const cpu = /(?:^|-)(arm64|x64|ia32|arm|64)(?=$|-)/.exec(name)?.[1];
  return {
    ...(os ? { os: [os === "windows" ? "win32" : os] } : {}),
    ...(cpu ? { cpu: [cpu === "64" ? "x64" : cpu] } : {}),
    ...(name.includes("musl") ? { libc: ["musl"] } : {}),
  };
}
