/** Dovecot with the same messages, to compare rates on the same machine. */
import { spawn, spawnSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findTestPort } from "../../test/host/support/ports.ts";

export interface Dovecot {
  port: number;
  stop(): Promise<void>;
}

/** Returns why Dovecot cannot be compared with, or null. */
export function findDovecotIssue(): string | null {
  if (process.getuid?.() !== 0) return "Dovecot is not compared with: it needs root";
  if (spawnSync("dovecot", ["--version"]).error)
    return "Dovecot is not compared with; on Debian: apt-get install dovecot-imapd";
  return null;
}

/** Starts Dovecot with these messages in the Maildir of its one user, over TLS with this certificate. */
export async function startDovecot(
  messages: readonly string[],
  tls: { keyFile: string; certificateFile: string },
): Promise<Dovecot> {
  const root = await mkdtemp(path.join(os.tmpdir(), "bench-dovecot-"));
  const mail = path.join(root, "mail");
  for (const folder of ["cur", "new", "tmp"]) await mkdir(path.join(mail, folder), { recursive: true });
  for (const [index, text] of messages.entries())
    await writeFile(path.join(mail, "cur", `${1_700_000_000 + index}.M${index}.host:2,S`), text);
  for (const folder of ["", "mail", "mail/cur", "mail/new", "mail/tmp"]) await chmod(path.join(root, folder), 0o777);
  const port = await findTestPort();
  const config = path.join(root, "dovecot.conf");
  await writeFile(
    config,
    `protocols = imap
listen = 127.0.0.1
base_dir = ${root}/run
log_path = ${root}/log
ssl = required
ssl_cert = <${tls.certificateFile}
ssl_key = <${tls.keyFile}
mail_location = maildir:${mail}
first_valid_uid = 1
first_valid_gid = 1
service imap-login {
  inet_listener imap {
    port = 0
  }
  inet_listener imaps {
    port = ${port}
    ssl = yes
  }
}
passdb {
  driver = static
  args = password=x
}
userdb {
  driver = static
  args = uid=mail gid=mail home=${root}
}
`,
  );
  const program = spawn("dovecot", ["-F", "-c", config], { stdio: "ignore" });
  for (let tries = 0; !(await isListening(port)); tries += 1) {
    if (tries > 100) throw new Error("Dovecot does not listen");
    await sleep(100);
  }
  return {
    port,
    async stop() {
      program.kill();
      await new Promise((resolve) => program.once("exit", resolve));
      await rm(root, { recursive: true, force: true });
    },
  };
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true));
    socket.once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
