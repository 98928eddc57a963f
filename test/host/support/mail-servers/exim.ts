import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
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

const program = process.env.EXIM || unpacked("exim/usr/sbin/exim4");

export const eximUnavailable = () => serverUnavailable("Exim", program);

/** Starts Exim. Recipients with the local part `gone` have no route. */
export async function startExim(plan: ServerPlan): Promise<RunningServer> {
  const { folder } = plan;
  for (const name of ["spool", "log"]) mkdirSync(path.join(folder, name), { recursive: true });
  execFileSync("chown", ["-R", "Debian-exim", folder]);
  // As root it takes a configuration of root only.
  const file = path.join(path.dirname(folder), "exim.conf");
  writeFileSync(file, configuration(plan), { mode: 0o644 });
  const child = await startServer(program, ["-C", file, "-bdf"], plan);
  return { version: versionOf(program, ["-C", file, "-bV"]), stop: () => stopServer(child) };
}

const configuration = ({ name, domains, address, port, relayPort, keyFile, certificateFile, folder }: ServerPlan) => `
primary_hostname = ${name}
exim_user = Debian-exim
exim_group = Debian-exim
spool_directory = ${folder}/spool
log_file_path = ${folder}/log/%slog
pid_file_path = ${folder}/exim.pid
local_interfaces = ${address}
daemon_smtp_ports = ${port}
domainlist ours = ${domains.join(" : ")}
tls_advertise_hosts = *
tls_certificate = ${certificateFile}
tls_privatekey = ${keyFile}
message_size_limit = ${MAX_MESSAGE}
acl_smtp_rcpt = check_rcpt
dkim_verify_signers =
host_lookup =
rfc1413_hosts =
keep_environment =
deliver_drop_privilege = true

begin acl
check_rcpt:
  deny !encrypted = *
       message = TLS is required
  deny !domains = +ours
       message = relay not permitted
  require verify = recipient
  accept

begin routers
onwards:
  driver = manualroute
  local_parts = ! gone
  domains = +ours
  route_list = * 127.0.0.1
  transport = onwards
  self = send

begin transports
onwards:
  driver = smtp
  port = ${relayPort}
  allow_localhost
  hosts_avoid_tls = *

begin retry
* * F,1h,1s
`;
