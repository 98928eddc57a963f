/** Runs a master process of Postfix with its configuration and queue in a temporary folder. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { findFreePort } from "../../../../dev/ports.ts";

const run = promisify(execFile);
const HOST = "127.0.0.1";
const READY_MS = 20_000;
const FIRST_PORT = 26_000;

export interface PostfixMaster {
  version: string;
  port: number;
  /** Process id. Its children do the work. */
  pid: number;
  /** Folder of the queue. */
  queue: string;
  stop(): Promise<void>;
}

export interface MasterOptions {
  /** Further files of the configuration, by name. */
  files?: Record<string, string>;
  /** Where it listens: without a port on a free one, and without an address on 127.0.0.1. */
  address?: string;
  port?: number;
}

/** Starts Postfix. Throws with its log when it does not listen after 20 seconds. */
export async function startMaster(
  settings: Record<string, string>,
  { files = {}, address = HOST, port: given }: MasterOptions = {},
): Promise<PostfixMaster> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "email-delivery-postfix-"));
  const [config, queue, data] = ["config", "queue", "data"].map((name) => path.join(folder, name)) as [
    string,
    string,
    string,
  ];
  // Its processes run as the user postfix and must reach the queue.
  await chmod(folder, 0o755);
  for (const directory of [config, queue, data]) await mkdir(directory);
  await run("chown", ["postfix", data]);
  const port = given ?? (await findFreePort(FIRST_PORT + (process.pid % 300) * 10));
  const standard = async (name: string) => (await run("postconf", ["-d", "-h", name])).stdout.trim();
  const all = {
    ...common,
    ...settings,
    queue_directory: queue,
    data_directory: data,
    daemon_directory: await standard("daemon_directory"),
    command_directory: await standard("command_directory"),
    maillog_file: path.join(folder, "mail.log"),
    maillog_file_prefixes: folder,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}\n`);
  await writeFile(path.join(config, "main.cf"), lines.join(""));
  await writeFile(path.join(config, "master.cf"), services(`${address}:${port}`));
  for (const [name, content] of Object.entries(files)) await writeFile(path.join(config, name), content);
  const master = spawn("postfix", ["-c", config, "start-fg"], { stdio: "ignore" });
  const postfix: PostfixMaster = {
    version: await standard("mail_version"),
    port,
    pid: master.pid ?? 0,
    queue,
    async stop() {
      await stopMaster(master, config);
      await rm(folder, { recursive: true, force: true });
    },
  };
  try {
    await waitUntilListening(master, address, port);
    return postfix;
  } catch (error) {
    const log = await readFile(all.maillog_file, "utf8").catch(() => "");
    await postfix.stop();
    throw new Error(`${error}\n${log}`);
  }
}

const common = {
  compatibility_level: "3.6",
  myhostname: "localhost",
  inet_interfaces: HOST,
  inet_protocols: "ipv4",
  mydestination: "",
  local_recipient_maps: "",
  alias_maps: "",
  alias_database: "",
  message_size_limit: "50000000",
  smtpd_peername_lookup: "no",
  smtpd_client_connection_count_limit: "0",
};

/** Returns master.cf: the services of Debian that take part in accepting mail. */
function services(listener: string): string {
  return `${listener} inet n - n - - smtpd
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
proxywrite unix - - n - 1 proxymap
smtp unix - - n - - smtp
relay unix - - n - - smtp
showq unix n - n - - showq
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
local unix - n n - - local
virtual unix - n n - - virtual
lmtp unix - - n - - lmtp
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
`;
}

async function waitUntilListening(master: ChildProcess, address: string, port: number): Promise<void> {
  for (const end = Date.now() + READY_MS; ; await sleep(50)) {
    if (master.exitCode !== null) throw new Error(`Postfix exited with ${master.exitCode}`);
    if (Date.now() > end) throw new Error("Postfix does not listen");
    const socket = net.connect(port, address);
    try {
      await once(socket, "connect");
      return;
    } catch {
      // Not yet.
    } finally {
      socket.destroy();
    }
  }
}

async function stopMaster(master: ChildProcess, config: string): Promise<void> {
  if (master.exitCode !== null) return;
  const exited = once(master, "exit");
  await run("postfix", ["-c", config, "stop"]).catch(() => master.kill("SIGKILL"));
  await exited;
}
