// Every npm script runs `node dev/setup.mjs <target.ts> [arguments]`: it installs missing packages, finds a Node that
// runs TypeScript, and starts the target with it. It is plain JavaScript because Node 20 cannot run TypeScript.
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { install, isInstalled, NODE_BIN, ROOT } from "./install.mjs";
import { watchParent } from "./parent.mjs";

const MINIMUM_NODE = 22;
const PARENT_CHECK_MS = 500;

const [target, ...args] = process.argv.slice(2);
if (!target) stop("Usage: node dev/setup.mjs <target.ts> [arguments]");
if (process.platform === "win32") stop("This project runs on Linux and macOS. On Windows, use WSL.");
if (!isInstalled()) await install(stop);
run(findNode(), target, args);

/** Returns the path of the Node that `npm ci` installed, or of the running one if it is new enough. */
function findNode() {
  const own = path.join(NODE_BIN, "node");
  if (existsSync(own) && spawnSync(own, ["--version"]).status === 0) return own;
  if (Number.parseInt(process.versions.node, 10) >= MINIMUM_NODE) return process.execPath;
  return stop(
    `Node ${MINIMUM_NODE} or newer is needed; this is ${process.versions.node}. On Linux (x64, arm64) it comes with ` +
      "the packages, but it is not there or does not run; elsewhere please install it: https://nodejs.org",
  );
}

/** Runs the target and exits with its code. The IPC channel tells the target when this process exits. */
function run(node, file, rest) {
  const flags = ["--disable-warning=ExperimentalWarning", ...stripTypes(node)];
  const child = spawn(node, [...flags, path.join(ROOT, file), ...rest], {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: { ...process.env, PATH: `${NODE_BIN}${path.delimiter}${process.env.PATH ?? ""}` },
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  watchParent(PARENT_CHECK_MS, () => child.kill("SIGTERM"));
  child.on("error", (error) => stop(`Could not start ${node}: ${error.message}`));
  child.on("exit", (code, signal) => process.exit(signal ? 128 + os.constants.signals[signal] : (code ?? 1)));
}

/** Returns the flag that lets Node 22 before 22.18 run TypeScript; later versions need none. */
function stripTypes(node) {
  const version = node === process.execPath ? process.versions.node : "24.0.0";
  const [major, minor] = version.split(".").map(Number);
  return major === 22 && minor < 18 ? ["--experimental-strip-types"] : [];
}

function stop(message) {
  console.error(message);
  process.exit(1);
}
