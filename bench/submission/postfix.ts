/**
 * Runs Postfix, for comparison: submission over implicit TLS with AUTH, as a master process of its own with the
 * configuration and the queue in a temporary folder. Accepted mail stays in its hold queue.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { findFreePort } from "../../dev/ports.ts";
import type { Login } from "./load.ts";
import { startSaslServer } from "./sasl-server.ts";

const run = promisify(execFile);
const HOST = "127.0.0.1";
const READY_MS = 20_000;
const FIRST_PORT = 26_000;

/** The clients that Postfix accepts mail from. */
export interface PostfixOptions {
  login: Login;
  /** The only envelope sender that the login may use. */
  sender: string;
  keyFile: string;
  certificateFile: string;
}

export interface Postfix {
  version: string;
  port: number;
  /** Process id of the master. Its children accept the mail. */
  pid: number;
  /** Returns the number of messages in the queue. */
  count(): Promise<number>;
  stop(): Promise<void>;
}

/** Returns why Postfix cannot run here, or null when it can. */
export async function findPostfixIssue(): Promise<string | null> {
  if (process.getuid?.() !== 0) return "Postfix was not measured: its master needs root";
  try {
    await run("postconf", ["-d", "-h", "mail_version"]);
    return null;
  } catch {
    return "Postfix was not measured: it is not installed (apt-get install postfix)";
  }
}

/** Starts Postfix. Throws with its log when it does not listen after 20 seconds. */
export async function startPostfix(options: PostfixOptions): Promise<Postfix> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "email-bench-postfix-"));
  const [config, queue, data] = ["config", "queue", "data"].map((name) => path.join(folder, name)) as [
    string,
    string,
    string,
  ];
  // Its processes run as the user postfix and must reach the queue.
  await chmod(folder, 0o755);
  for (const directory of [config, queue, data]) await mkdir(directory);
  await run("chown", ["postfix", data]);
  const sasl = await startSaslServer(options.login);
  const port = await findFreePort(FIRST_PORT + (process.pid % 300) * 10);
  const standard = async (name: string) => (await run("postconf", ["-d", "-h", name])).stdout.trim();
  const settings = {
    ...mainSettings(options, sasl.port),
    queue_directory: queue,
    data_directory: data,
    daemon_directory: await standard("daemon_directory"),
    command_directory: await standard("command_directory"),
    maillog_file: path.join(folder, "mail.log"),
    maillog_file_prefixes: folder,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`);
  await writeFile(path.join(config, "main.cf"), lines.join(""));
  await writeFile(path.join(config, "master.cf"), services(port));
  const master = spawn("postfix", ["-c", config, "start-fg"], { stdio: "ignore" });
  const postfix: Postfix = {
    version: await standard("mail_version"),
    port,
    pid: master.pid ?? 0,
    async count() {
      const { stdout } = await run("find", [path.join(queue, "hold"), "-type", "f"], { maxBuffer: 100_000_000 });
      return stdout.split("\n").length - 1;
    },
    async stop() {
      await stopMaster(master, config);
      sasl.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
  try {
    await waitUntilListening(master, port);
    return postfix;
  } catch (error) {
    const log = await readFile(settings.maillog_file, "utf8").catch(() => "");
    await postfix.stop();
    throw new Error(`${error}\n${log}`);
  }
}

function mainSettings({ sender, login, keyFile, certificateFile }: PostfixOptions, saslPort: number) {
  return {
    compatibility_level: "3.6",
    myhostname: "localhost",
    inet_interfaces: HOST,
    inet_protocols: "ipv4",
    mynetworks: "",
    mydestination: "",
    local_recipient_maps: "",
    alias_maps: "",
    alias_database: "",
    message_size_limit: "50000000",
    smtpd_peername_lookup: "no",
    smtpd_client_connection_count_limit: "0",
    smtpd_tls_wrappermode: "yes",
    smtpd_tls_security_level: "encrypt",
    smtpd_tls_key_file: keyFile,
    smtpd_tls_cert_file: certificateFile,
    smtpd_sasl_auth_enable: "yes",
    smtpd_sasl_type: "dovecot",
    smtpd_sasl_path: `inet:${HOST}:${saslPort}`,
    smtpd_sender_login_maps: `inline:{{${sender} = ${login.username}}}`,
    smtpd_sender_restrictions: "reject_sender_login_mismatch",
    smtpd_relay_restrictions: "permit_sasl_authenticated, reject",
    // Accepted as usual, and then not delivered.
    smtpd_end_of_data_restrictions: "check_client_access static:HOLD",
  };
}

/** Returns master.cf: the services of Debian that take part in accepting mail. */
function services(port: number): string {
  return `${HOST}:${port} inet n - n - - smtpd
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

async function waitUntilListening(master: ChildProcess, port: number): Promise<void> {
  for (const end = Date.now() + READY_MS; ; await sleep(50)) {
    if (master.exitCode !== null) throw new Error(`Postfix exited with ${master.exitCode}`);
    if (Date.now() > end) throw new Error("Postfix does not listen");
    const socket = net.connect(port, HOST);
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
