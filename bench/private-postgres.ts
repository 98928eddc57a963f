/** A PostgreSQL server of this machine with a new database in a temporary folder. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, globSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

/** Runs the arguments as a command until the standard input ends, so that the server ends with the process that started it. */
const UNTIL_INPUT_ENDS = '"$@" & server=$!; read -r _; kill -INT $server; wait $server';

export interface PrivatePostgres {
  /** The folder of the server's socket. Its user is `bench`, without a password. */
  socketDir: string;
  /** Name and version. */
  version: string;
  stop(): Promise<void>;
}

/** Starts a server. Returns null when PostgreSQL is not installed, or when this is root and there is no user `postgres`. */
export async function startPostgres(): Promise<PrivatePostgres | null> {
  const bin = findPrograms();
  const owner = process.getuid?.() === 0 ? findOwner() : undefined;
  if (bin === undefined || owner === null) return null;
  const dir = await mkdtemp(path.join(tmpdir(), "email-delivery-postgres-"));
  if (owner !== undefined) chownSync(dir, owner.uid, owner.gid);
  const options = { cwd: dir, encoding: "utf8", ...owner } as const;
  execFileSync(path.join(bin, "initdb"), ["-D", dir, "-U", "bench", "--auth=trust", "-E", "UTF8"], options);
  const server = [path.join(bin, "postgres"), "-D", dir, "-k", dir, "-c", "listen_addresses="];
  const shell = spawn("sh", ["-c", UNTIL_INPUT_ENDS, "sh", ...server], {
    ...options,
    stdio: ["pipe", "ignore", "pipe"],
  });
  await new Promise<void>((resolve, reject) => {
    let log = "";
    shell.stderr.setEncoding("utf8").on("data", (text: string) => {
      log = (log + text).slice(-4_000);
      if (log.includes("ready to accept connections")) resolve();
    });
    shell.once("exit", () => reject(new Error(`PostgreSQL did not start: ${log}`)));
  });
  return {
    socketDir: dir,
    version: `PostgreSQL ${/[\d.]+/.exec(execFileSync(path.join(bin, "postgres"), ["--version"], options))}`,
    async stop() {
      const exited = once(shell, "exit");
      shell.stdin.end();
      await exited;
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Returns the folder of the server's programs. Debian has them outside of PATH. */
function findPrograms(): string | undefined {
  const folders = [...(process.env.PATH ?? "").split(path.delimiter), ...globSync("/usr/lib/postgresql/*/bin")];
  return folders.find((folder) => ["initdb", "postgres"].every((name) => existsSync(path.join(folder, name))));
}

/** Returns the user under whom the server runs when this process is root, which PostgreSQL refuses. */
function findOwner(): { uid: number; gid: number } | null {
  try {
    const read = (option: string) => Number(execFileSync("id", [option, "postgres"], { stdio: "pipe" }).toString());
    return { uid: read("-u"), gid: read("-g") };
  } catch {
    return null;
  }
}
