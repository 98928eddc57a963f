// Installs the packages of package-lock.json. When two commands run at once, one installs and the other waits.
import { spawnSync } from "node:child_process";
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

// Not import.meta.dirname, which Node has from 20.11 only.
export const ROOT = fileURLToPath(new URL("..", import.meta.url));
export const NODE_BIN = path.join(ROOT, "node_modules", ".bin");
const LOCK = path.join(ROOT, ".dev", "install.lock");
const OUT_OF_SYNC = "EUSAGE";
const OUTPUT_LIMIT = 64 * 1024 * 1024;
const CONNECT_MS = 5_000;
/** Errors of a folder that this user cannot write. */
const UNWRITABLE = ["EROFS", "EACCES", "EPERM"];

/** Returns true if every package of package-lock.json is installed. npm writes its list last, so an aborted install has none. */
export function isInstalled() {
  const wanted = packages(path.join(ROOT, "package-lock.json"));
  const present = packages(path.join(ROOT, "node_modules", ".package-lock.json"));
  return Object.entries(wanted).every(([name, entry]) => {
    // The project itself and its folders that are packages.
    if (!name.startsWith("node_modules/") || entry.link) return true;
    const found = present[name];
    return found ? found.version === entry.version && found.integrity === entry.integrity : isOptional(entry);
  });
}

/** Runs `npm ci` and prints its output only if it fails. `stop` prints a message and exits. */
export async function install(stop) {
  try {
    await lock();
  } catch (error) {
    if (!UNWRITABLE.includes(error.code)) throw error;
    stop(`The packages cannot be installed: ${ROOT} is not writable (${error.code}).`);
  }
  const failure = isInstalled() ? null : await npmInstall();
  rmSync(LOCK, { force: true });
  if (failure === null) return;
  console.error(failure);
  stop("Installing the packages failed; see above. It needs npm in PATH and a network connection.");
}

/** Installs the packages. Returns null on success, otherwise npm's output. */
async function npmInstall() {
  const problem = await connectToRegistry();
  // npm retries for more than a minute without a network. From its cache it installs or fails at once.
  if (problem) return npm("ci", "--offline") && `The npm registry cannot be reached: ${problem}`;
  console.log("Installing packages (npm ci); this takes half a minute the first time ...");
  const output = npm("ci");
  if (output === null || !output.includes(OUT_OF_SYNC)) return output;
  // A registry without the packages of other platforms yields an incomplete lock file; its versions are still valid.
  console.log("package-lock.json is incomplete, so npm ci refuses it; trying npm install ...");
  return npm("install", "--no-save");
}

/** Opens a TCP connection to the npm registry, or to npm's proxy. Returns null on success, otherwise the reason. */
async function connectToRegistry() {
  const { status, stdout } = spawnSync("npm", ["config", "get", "https-proxy", "proxy", "registry"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  if (status !== 0) return null;
  const values = stdout.split("\n").map((line) => line.slice(line.indexOf("=") + 1).trim());
  const address = values.find((value) => /^https?:/.test(value));
  if (!address) return null;
  const { hostname, port, protocol } = new URL(address);
  return new Promise((resolve) => {
    const socket = net.connect({ host: hostname, port: Number(port) || (protocol === "https:" ? 443 : 80) });
    const finish = (problem) => {
      socket.destroy();
      resolve(problem);
    };
    socket.once("connect", () => finish(null));
    socket.once("error", (error) => finish(`${address}: ${error.code ?? error.message}`));
    socket.setTimeout(CONNECT_MS, () => finish(`${address}: no response within ${CONNECT_MS / 1000} seconds`));
  });
}

function npm(...command) {
  const flags = ["--no-audit", "--no-fund", "--loglevel=error", "--include=dev", "--include=optional"];
  // Without node_modules/.bin: npm would run on the Node there, which it is about to replace.
  const PATH = (process.env.PATH ?? "").split(path.delimiter).filter((dir) => !dir.endsWith("node_modules/.bin"));
  const env = { ...process.env, PATH: PATH.join(path.delimiter) };
  const options = { cwd: ROOT, env, encoding: "utf8", maxBuffer: OUTPUT_LIMIT };
  const { status, stdout, stderr, error } = spawnSync("npm", [...command, ...flags], options);
  return status === 0 ? null : `${stdout ?? ""}${stderr ?? ""}${error?.message ?? ""}`;
}

/** Waits until no other command installs. Takes over the lock of a process that has exited. */
async function lock() {
  // The first state folder: it will have mail and keys.
  mkdirSync(path.dirname(LOCK), { recursive: true, mode: 0o700 });
  const ownFile = `${LOCK}.${process.pid}`;
  writeFileSync(ownFile, String(process.pid));
  for (let waited = 0; !tryLink(ownFile); waited += 1) {
    if (isStale(LOCK)) removeStale();
    else if (waited === 2) console.log("Another command is installing packages; waiting for it ...");
    await sleep(200);
  }
  rmSync(ownFile);
}

/** Links the file as the lock, so that the lock never exists without its pid. Returns false when another command holds it. */
function tryLink(ownFile) {
  try {
    linkSync(ownFile, LOCK);
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
}

/** Renames the lock before it checks and deletes it, and renames it back if its owner is alive. */
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

/** Returns true for an optional package, for example of another platform, and for an optional peer dependency. */
function isOptional(entry) {
  return Boolean(entry.optional || entry.devOptional || entry.peer);
}
