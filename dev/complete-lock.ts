// `npm run lock`: after a change of package.json. A registry that lacks the packages of other platforms makes npm leave
// them out of package-lock.json, and `npm ci` then refuses the lock. This writes them back, without an integrity hash.
import { readFileSync, writeFileSync } from "node:fs";

interface Entry {
  version?: string;
  optionalDependencies?: Record<string, string>;
  [field: string]: unknown;
}

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
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync("package-lock.json", `${JSON.stringify(lock, null, 2)}\n`);
console.log(added.length === 0 ? "package-lock.json is complete" : `Added to package-lock.json: ${added.join(", ")}`);

/** Whether the lock has the package where `parent` would find it: beside it or further up. */
function isLocked(parent: string, name: string): boolean {
  for (let base = parent; ; base = base.slice(0, Math.max(base.lastIndexOf("node_modules/"), 0)).replace(/\/$/, "")) {
    if (`${base === "" ? "" : `${base}/`}node_modules/${name}` in lock.packages) return true;
    if (base === "") return false;
  }
}

/** npm skips an optional package whose os, cpu or libc are not this machine's. */
function platformOf(name: string): { os?: string[]; cpu?: string[]; libc?: string[] } {
  const os = /android|darwin|freebsd|netbsd|openbsd|openharmony|aix|sunos|win32|windows|linux/.exec(name)?.[0];
  const cpu = /(?:^|-)(arm64|x64|ia32|arm|64)(?=$|-)/.exec(name)?.[1];
  return {
    ...(os ? { os: [os === "windows" ? "win32" : os] } : {}),
    ...(cpu ? { cpu: [cpu === "64" ? "x64" : cpu] } : {}),
    ...(name.includes("musl") ? { libc: ["musl"] } : {}),
  };
}
