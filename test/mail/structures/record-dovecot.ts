/**
 * Writes down how Dovecot answers ENVELOPE, BODY and BODYSTRUCTURE for the corpus, into dovecot.json: `apt-get install dovecot-imapd`, then
 * `node --experimental-strip-types test/mail/structures/record-dovecot.ts`.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, writeFile } from "node:fs/promises";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { corpus, toStored } from "./corpus.ts";

const root = await mkdtemp(path.join(os.tmpdir(), "dovecot-"));
const mail = path.join(root, "mail");
for (const folder of ["cur", "new", "tmp"]) await mkdir(path.join(mail, folder), { recursive: true });
for (const [index, text] of corpus.entries())
  await writeFile(path.join(mail, "cur", `${1_700_000_000 + index}.M${index}.host:2,S`), toStored(text));
for (const folder of ["", "mail", "mail/cur", "mail/new", "mail/tmp"]) await chmod(path.join(root, folder), 0o777);
const PORT = 14_143;
const config = path.join(root, "dovecot.conf");
await writeFile(
  config,
  `
protocols = imap
listen = 127.0.0.1
base_dir = ${root}/run
log_path = ${root}/log
ssl = no
disable_plaintext_auth = no
mail_location = maildir:${mail}
first_valid_uid = 1
first_valid_gid = 1
service imap-login {
  inet_listener imap {
    port = ${PORT}
  }
  inet_listener imaps {
    port = 0
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
const dovecot = spawn("dovecot", ["-F", "-c", config], { stdio: "ignore" });
const items = ["ENVELOPE", "BODY", "BODYSTRUCTURE"];
const output = await converse([
  "a LOGIN user x",
  "b SELECT INBOX",
  ...items.map((item, index) => `c${index} FETCH 1:* ${item}`),
  "z LOGOUT",
]);
dovecot.kill();
const answers = corpus.map(() => ({}) as Record<string, string>);
for (const [, number, item = "", answer = ""] of output.matchAll(
  /^\* (\d+) FETCH \((ENVELOPE|BODY|BODYSTRUCTURE) ((?:[^{\r]|\{\d+\}\r\n[^\r]*)*)\)\r\n/gm,
))
  Object.assign(answers[Number(number) - 1] ?? {}, { [item]: answer });
if (answers.some((answer) => Object.keys(answer).length !== items.length)) throw new Error(output);
await writeFile(path.join(import.meta.dirname, "dovecot.json"), `${JSON.stringify(answers, null, 2)}\n`);

/** Sends commands when the server listens, and returns all that it answers. */
async function converse(commands: readonly string[]): Promise<string> {
  for (;;) {
    const socket = net.connect(PORT, "127.0.0.1");
    const isConnected = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    if (!isConnected) {
      await sleep(100);
      continue;
    }
    socket.write(commands.map((command) => `${command}\r\n`).join(""));
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString("latin1");
  }
}
