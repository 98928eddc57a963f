// Brings node_modules to what package-lock.json says. Two commands at once: one installs, the other waits.
import { spawnSync } from "node:child_process";
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export const ROOT = path.join(import.meta.dirname, "..");
export const NODE_BIN = path.join(ROOT, "node_modules", ".bin");
const LOCK = path.join(ROOT, ".dev", "install.lock");
const OUT_OF_STEP = "EUSAGE";
const OUTPUT_LIMIT = 64 * 1024 * 1024;

/** True when everything in package-lock.json is installed. npm writes its own list last, so a broken install has none. */
export function isInstalled() {
  const wanted = packages(path.join(ROOT, "package-lock.json"));
  const present = packages(path.join(ROOT, "node_modules", ".package-lock.json"));
  return Object.entries(wanted).every(([name, entry]) => {
    if (name === "") return true;
    const found = present[name];
    return found ? found.version === entry.version && found.integrity === entry.integrity : isForElsewhere(entry);
  });
}

/** Runs `npm ci`, quietly unless it fails. `stop` ends the process with a message. */
export async function install(stop) {
  await lock();
  const failure = isInstalled() ? null : npmInstall();
  rmSync(LOCK, { force: true });
  if (failure === null) return;
  console.error(failure);
  stop("Installing failed; see above. It needs npm in the PATH and, this once, the network.");
}

/** Null when all went well, else what npm said. */
function npmInstall() {
  console.log("Installing packages (npm ci); this takes half a minute the first time ...");
  const refused = npm("ci");
  if (refused === null || !refused.includes(OUT_OF_STEP)) return refused;
  // A lock written where a registry lacked packages for other platforms: what it does list still holds.
  console.log("package-lock.json is incomplete, so npm ci refuses it; trying npm install ...");
  return npm("install", "--no-save");
}

function npm(...command) {
  const flags = ["--no-audit", "--no-fund", "--loglevel=error", "--include=dev", "--include=optional"];
  // Without our own .bin: npm must not run on the very Node that it is about to replace.
  const PATH = (process.env.PATH ?? "").split(path.delimiter).filter((dir) => !dir.endsWith("node_modules/.bin"));
  const env = { ...process.env, PATH: PATH.join(path.delimiter) };
  const options = { cwd: ROOT, env, encoding: "utf8", maxBuffer: OUTPUT_LIMIT };
  const { status, stdout, stderr, error } = spawnSync("npm", [...command, ...flags], options);
  return status === 0 ? null : `${stdout ?? ""}${stderr ?? ""}${error?.message ?? ""}`;
}

/** Waits until no other command installs. The lock of a command that died is taken over. */
async function lock() {
  mkdirSync(path.dirname(LOCK), { recursive: true });
  const mine = `${LOCK}.${process.pid}`;
  writeFileSync(mine, String(process.pid));
  for (let waited = 0; !linked(mine); waited += 1) {
    if (isStale(LOCK)) removeStale();
    else if (waited === 2) console.log("Another command is installing packages; waiting for it ...");
    await sleep(200);
  }
  rmSync(mine);
}

/** Gives the lock its name with its content already inside; false when another command holds it. */
function linked(mine) {
  try {
    linkSync(mine, LOCK);
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
}

/** Takes the lock aside before removing it: if it turns out to be a live one, it goes back. */
function removeStale() {
  const aside = `${LOCK}.${process.pid}.aside`;
  try {
    renameSync(LOCK, aside);
    if (isStale(aside)) rmSync(aside);
    else renameSync(aside, LOCK);
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
  }
}

function isStale(file) {
  try {
    process.kill(Number(readFileSync(file, "utf8")), 0);
    return false;
  } catch (error) {
    return error.code === "ESRCH";
  }
}

function packages(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8")).packages ?? {};
  } catch {
    return {};
  }
}

/** An optional package for another platform, or a peer that nobody asked for. */
function isForElsewhere(entry) {
  return Boolean(entry.optional || entry.devOptional || entry.peer);
}
