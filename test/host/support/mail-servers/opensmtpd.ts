import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import {
  MAX_MESSAGE,
  type RunningServer,
  type ServerPlan,
  serverUnavailable,
  startServer,
  stopServer,
  unpacked,
  versionOf,
} from "./server.ts";

/** The folder with its files and libraries, which is its root: paths of its queue and socket are compiled in. */
const root = process.env.OPENSMTPD_ROOT || unpacked("opensmtpd");
const PROGRAM = "/usr/sbin/smtpd";

export const opensmtpdUnavailable = () => serverUnavailable("OpenSMTPD", path.join(root, PROGRAM));

/** Starts OpenSMTPD. It does not know recipients with the local part `gone`. */
export async function startOpensmtpd(plan: ServerPlan): Promise<RunningServer> {
  const own = path.join("/etc/test", String(plan.port));
  const inRoot = path.join(root, own);
  mkdirSync(inRoot, { recursive: true, mode: 0o755 });
  copyFileSync(plan.keyFile, path.join(inRoot, "key.pem"));
  copyFileSync(plan.certificateFile, path.join(inRoot, "certificate.pem"));
  writeFileSync(path.join(inRoot, "smtpd.conf"), configuration(plan, own));
  // Mounts in a namespace of its own end with it: its queue is in memory.
  const script = `set -e
    chmod 600 '${inRoot}/key.pem'
    mount --bind /dev '${root}/dev'
    mount -t tmpfs -o mode=711 none '${root}/var/spool/smtpd'
    mount -t tmpfs none '${root}/run'
    mount -t tmpfs none '${root}/var/run'
    exec chroot '${root}' ${PROGRAM} -d -f '${own}/smtpd.conf'`;
  const child = await startServer("unshare", ["--mount", "sh", "-c", script], plan);
  return { version: versionOf("chroot", [root, PROGRAM, "-h"]), stop: () => stopServer(child) };
}

const configuration = ({ name, domains, address, port, relayPort }: ServerPlan, own: string) => `
pki "server" cert "${own}/certificate.pem"
pki "server" key "${own}/key.pem"
smtp max-message-size ${MAX_MESSAGE}
listen on ${address} port ${port} tls-require pki "server" hostname ${name}
action "onwards" relay host "smtp+notls://127.0.0.1:${relayPort}"
${domains.map((domain) => `match from any for rcpt-to "gone@${domain}" reject`).join("\n")}
match from any for domain { ${domains.map((domain) => `"${domain}"`).join(", ")} } action "onwards"
`;
