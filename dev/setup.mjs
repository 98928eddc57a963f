// Every npm script goes through here: `node dev/setup.mjs <target.ts> [arguments]`. Plain JavaScript,
// because it is all that runs on the Node 20 a machine may have: it installs what is missing, finds a
// Node that runs TypeScript, and hands over.
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { install, isInstalled, NODE_BIN, ROOT } from "./install.mjs";
import { followParent } from "./parent.mjs";

const MINIMUM_NODE = 22;
const PARENT_CHECK_MS = 500;

const [target, ...args] = process.argv.slice(2);
if (!target) stop("Usage: node dev/setup.mjs <target.ts> [arguments]");
if (process.platform === "win32") stop("This project runs on Linux and macOS. On Windows, use WSL.");
if (!isInstalled()) await install(stop);
run(findNode(), target, args);

/** The Node that came with `npm ci`, or the running one when that is new enough. */
function findNode() {
  const own = path.join(NODE_BIN, "node");
  if (existsSync(own) && spawnSync(own, ["--version"]).status === 0) return own;
  if (Number.parseInt(process.versions.node, 10) >= MINIMUM_NODE) return process.execPath;
  return stop(
    `Node ${MINIMUM_NODE} or newer is needed; this is ${process.versions.node}. On Linux (x64, arm64) it comes with ` +
      "the packages, but it is not there or does not run; elsewhere please install it: https://nodejs.org",
  );
}

/** Runs the target and ends as it ends. The IPC channel tells the target when this process is gone. */
function run(node, file, rest) {
  const flags = ["--disable-warning=ExperimentalWarning", ...stripTypes(node)];
  const child = spawn(node, [...flags, path.join(ROOT, file), ...rest], {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: { ...process.env, PATH: `${NODE_BIN}${path.delimiter}${process.env.PATH ?? ""}` },
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  followParent(PARENT_CHECK_MS, () => child.kill("SIGTERM"));
  child.on("error", (error) => stop(`Could not start ${node}: ${error.message}`));
  child.on("exit", (code, signal) => process.exit(signal ? 128 + os.constants.signals[signal] : (code ?? 1)));
}

/** Node 22 before 22.18 strips types only when asked to; 24 does so by itself. */
function stripTypes(node) {
  const version = node === process.execPath ? process.versions.node : "24.0.0";
  const [major, minor] = version.split(".").map(Number);
  return major === 22 && minor < 18 ? ["--experimental-strip-types"] : [];
}

function stop(message) {
  console.error(message);
  process.exit(1);
}
