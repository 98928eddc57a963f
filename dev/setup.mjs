// Every npm script runs `node dev/setup.mjs <target.ts> [arguments]`: it installs missing packages, finds a Node that
// runs TypeScript, and starts the target with it. It is plain JavaScript because Node before 22 cannot run TypeScript, and it
// imports its modules after the version check, because they do not load on older versions.
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import os from "node:os";
import path from "node:path";

/** The oldest Node that installs the packages. package.json `engines` says the same. */
const MINIMUM_NODE = 18;
/** The oldest Node that runs the commands. On Linux the packages include a newer one. */
const MINIMUM_NODE_TO_RUN = 22;
const PARENT_CHECK_MS = 500;

const [target, ...args] = process.argv.slice(2);
if (!target) stop("Usage: node dev/setup.mjs <target.ts> [arguments]");
if (process.platform === "win32") stop("This project runs on Linux and macOS. On Windows, use WSL.");
if (majorVersion() < MINIMUM_NODE) {
  stop(`Node ${MINIMUM_NODE} or newer is required; this is Node ${process.versions.node}. See https://nodejs.org`);
}
const { install, isInstalled, NODE_BIN, ROOT } = await import("./install.mjs");
const { watchParent } = await import("./parent.mjs");
if (!isInstalled()) await install(stop);
run(findNode(), target, args);

/** Returns the path of the Node that `npm ci` installed, or of the running one if it is new enough. */
function findNode() {
  // npm before version 11 does not link the package's binary into node_modules/.bin.
  const installed = [
    path.join(NODE_BIN, "node"),
    path.join(ROOT, "node_modules", `node-linux-${process.arch}`, "bin", "node"),
  ];
  for (const node of installed) if (existsSync(node) && spawnSync(node, ["--version"]).status === 0) return node;
  if (majorVersion() >= MINIMUM_NODE_TO_RUN) return process.execPath;
  return stop(
    `Node ${MINIMUM_NODE_TO_RUN} or newer is required; this is Node ${process.versions.node}. On Linux (x64, arm64) it ` +
      "is one of the packages, but it is missing or does not run. On other systems, install it: https://nodejs.org",
  );
}

/** Runs the target and exits with its code. The IPC channel tells the target when this process exits. */
function run(node, file, rest) {
  const flags = ["--disable-warning=ExperimentalWarning", ...stripTypes(node)];
  const searchPath = [path.dirname(node), NODE_BIN, process.env.PATH ?? ""].join(path.delimiter);
  const child = spawn(node, [...flags, path.join(ROOT, file), ...rest], {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: { ...process.env, PATH: searchPath },
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  watchParent(PARENT_CHECK_MS, () => child.kill("SIGTERM"));
  child.on("error", (error) => stop(`Starting ${node} failed: ${error.message}`));
  child.on("exit", (code, signal) => process.exit(signal ? 128 + os.constants.signals[signal] : (code ?? 1)));
}

/** Returns the flag that lets Node 22 before 22.18 run TypeScript; later versions need none. */
function stripTypes(node) {
  const version = node === process.execPath ? process.versions.node : "24.0.0";
  const [major, minor] = version.split(".").map(Number);
  return major === 22 && minor < 18 ? ["--experimental-strip-types"] : [];
}

function majorVersion() {
  return Number.parseInt(process.versions.node, 10);
}

function stop(message) {
  console.error(message);
  process.exit(1);
}
