/** Unbound as a validating resolver, with a zone that is signed by DNSSEC and one that is not. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { findTestPort } from "../ports.ts";
import { type RunningServer, serverUnavailable, startServer, stopServer, unpacked, versionOf } from "./server.ts";

const program = process.env.UNBOUND || unpacked("unbound/usr/sbin/unbound");
const SIGNED = "signed.test";
const UNSIGNED = "unsigned.test";
/** Libraries of the unpacked programs. */
const LIBRARIES = unpacked("unbound/usr/lib", process.arch === "arm64" ? "aarch64-linux-gnu" : "x86_64-linux-gnu");

export interface ResolverPlan {
  folder: string;
  /** Lines of both zones, with names relative to them. */
  records: readonly string[];
  /** Name of the zone that is signed whose TLSA records get a wrong signature. */
  broken: string;
}

export const unboundUnavailable = () => serverUnavailable("Unbound", program);

/** Starts Unbound on a port of 127.0.0.1. */
export async function startUnbound(plan: ResolverPlan): Promise<RunningServer & { port: number }> {
  const port = await findTestPort();
  const { folder, records } = plan;
  for (const zone of [SIGNED, UNSIGNED]) {
    const head = [
      `$ORIGIN ${zone}.`,
      "$TTL 300",
      "@ IN SOA ns a 1 3600 600 86400 300",
      "@ IN NS ns",
      "ns IN A 127.0.0.1",
    ];
    writeFileSync(path.join(folder, zone), [...head, ...records, ""].join("\n"));
  }
  const anchor = sign(plan);
  const file = path.join(folder, "unbound.conf");
  writeFileSync(file, configuration(folder, port, anchor));
  const environment = [`LD_LIBRARY_PATH=${LIBRARIES}`, program];
  const child = await startServer("env", [...environment, "-d", "-c", file], { address: "127.0.0.1", port });
  return { port, version: versionOf("env", [...environment, "-V"]), stop: () => stopServer(child) };
}

/** Signs the zone and returns the file of its trust anchor. */
function sign({ folder, broken }: ResolverPlan): string {
  const run = (tool: string, ...args: string[]) =>
    execFileSync(unpacked("unbound/usr/bin", tool), args, {
      cwd: folder,
      env: { ...process.env, LD_LIBRARY_PATH: LIBRARIES },
      encoding: "utf8",
    });
  const key = run("ldns-keygen", "-k", "-a", "ECDSAP256SHA256", SIGNED).trim();
  run("ldns-signzone", "-n", SIGNED, key);
  const file = path.join(folder, `${SIGNED}.signed`);
  const lines = readFileSync(file, "utf8").split("\n");
  const altered = lines.map((line) => {
    const isBroken = line.startsWith(`_25._tcp.${broken}.`) && line.includes("RRSIG\tTLSA");
    // The signature is at the end, in base64.
    return isBroken
      ? line.replace(/(\S)(\S{8})(==?)?\s*$/, (_, first, rest, end = "") => `${first === "A" ? "B" : "A"}${rest}${end}`)
      : line;
  });
  if (altered.join() === lines.join()) throw new Error(`no signature of ${broken} was altered`);
  writeFileSync(file, altered.join("\n"));
  return path.join(folder, `${key}.ds`);
}

const configuration = (folder: string, port: number, anchor: string) => `
server:
  interface: 127.0.0.1
  port: ${port}
  do-daemonize: no
  chroot: ""
  username: ""
  directory: ${folder}
  pidfile: ""
  use-syslog: no
  trust-anchor-file: ${anchor}
  domain-insecure: ${UNSIGNED}
  local-zone: test. nodefault
  module-config: "validator iterator"
remote-control:
  control-enable: no
auth-zone:
  name: ${SIGNED}
  zonefile: ${folder}/${SIGNED}.signed
  for-upstream: yes
  for-downstream: no
auth-zone:
  name: ${UNSIGNED}
  zonefile: ${folder}/${UNSIGNED}
  for-upstream: yes
  for-downstream: no
`;
