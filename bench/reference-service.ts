/** Installs and starts the service of bench/peers/, which is measured beside ours. */
import { spawn, spawnSync } from "node:child_process";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Target } from "./load.ts";
import { startPostgres } from "./private-postgres.ts";
import { Sink } from "./sink.ts";

const FOLDER = path.join(import.meta.dirname, "peers");
const POLL_MS = 20;

export interface ReferenceService extends Target {
  /** Name and version of its database. */
  storage: string;
  stop(): Promise<void>;
}

/** Starts the service, which sends `body` from this domain. It stores in PostgreSQL where that is installed, else in SQLite. */
export async function startReferenceService(domain: string, body: string): Promise<ReferenceService> {
  installPackages();
  const [sink, postgres] = [await Sink.start(), await startPostgres()];
  const dir = await mkdtemp(path.join(tmpdir(), "email-delivery-peer-"));
  const apiKey = randomBytes(24).toString("base64url");
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const child = spawn(process.execPath, [path.join(FOLDER, "server.mjs")], {
    stdio: ["pipe", "pipe", "inherit"],
    env: {
      ...process.env,
      NODE_ENV: "production",
      NODE_NO_WARNINGS: "1",
      API_KEY: apiKey,
      DOMAIN: domain,
      DKIM_KEY: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
      RELAY_PORT: String(sink.port),
      PG_SOCKET_DIR: postgres?.socketDir ?? "",
      SQLITE_FILE: path.join(dir, "emails.sqlite"),
    },
  });
  const exited = once(child, "exit");
  const port = await Promise.race([
    once(child.stdout, "data").then(([data]) => Number(data)),
    exited.then(([code]) => Promise.reject(new Error(`the reference service exited with ${code}`))),
  ]);
  const call = async (url: string, init?: RequestInit): Promise<unknown> => {
    const response = await fetch(`http://127.0.0.1:${port}${url}`, init);
    if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const headers = { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json" };
  return {
    storage: postgres?.version ?? "SQLite",
    sink,
    async send() {
      await call("/v1/emails/", { method: "POST", headers, body });
    },
    async waitUntilDrained() {
      while (((await call("/queue")) as { rows: number }).rows > 0) await new Promise((r) => setTimeout(r, POLL_MS));
    },
    async stop() {
      child.stdin.end();
      await exited;
      await postgres?.stop();
      sink.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Runs `npm ci` unless the packages of the lock file are installed. */
function installPackages(): void {
  const installed = packagesOf("node_modules/.package-lock.json");
  const missing = Object.entries(packagesOf("package-lock.json")).filter(
    ([name, { version }]) => name !== "" && installed[name]?.version !== version,
  );
  if (missing.length === 0) return;
  console.error("Installing the packages of bench/peers/ (npm ci) ...");
  const npm = spawnSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: FOLDER, encoding: "utf8" });
  if (npm.status !== 0) throw new Error(`npm ci in bench/peers/ failed: ${npm.error?.message ?? npm.stderr}`);
}

function packagesOf(file: string): Record<string, { version: string }> {
  const lock = path.join(FOLDER, file);
  return existsSync(lock) ? JSON.parse(readFileSync(lock, "utf8")).packages : {};
}
