import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import net from "node:net";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { portsFrom } from "../../dev/layout.ts";
import { findTakenPorts } from "../../dev/ports.ts";

/** The first port that needs no right, or 0 where every port is open to everybody. */
const unprivileged = () => Number(readFileSync("/proc/sys/net/ipv4/ip_unprivileged_port_start", "utf8"));
const hasPrivilegedPorts = process.platform === "linux" && unprivileged() > 8;

/** Asks for the ports from 1 on in a process without the rights of root, and returns the message of the error. */
async function refusal(): Promise<string> {
  const program = `
    const { findTakenPorts } = await import(${JSON.stringify(pathToFileURL("dev/ports.ts").href)});
    const { portsFrom } = await import(${JSON.stringify(pathToFileURL("dev/layout.ts").href)});
    if (process.geteuid() === 0) process.seteuid(65534);
    await findTakenPorts(portsFrom(1)).then(console.log, (error) => console.log(error.message));`;
  const args = ["--disable-warning=ExperimentalWarning", "--input-type=module", "--eval", program];
  return (await promisify(execFile)(process.execPath, args)).stdout;
}

describe("the ports of a service", () => {
  it("are reported as taken when another process listens on them", async () => {
    const server = net.createServer();
    const port = await new Promise<number>((resolve) => {
      server.listen(0, "127.0.0.1", () => resolve((server.address() as net.AddressInfo).port));
    });
    const api = Math.min(port, 65_000);
    expect(await findTakenPorts(portsFrom(api))).toContain(port);
    await new Promise((resolve) => server.close(resolve));
  });

  it.runIf(hasPrivilegedPorts)("are not reported as taken when the process may not listen on them", async () => {
    expect(await refusal()).toMatch(/^Port \d is free, but this user may not listen on it: ports below 1024 need/);
  });
});
