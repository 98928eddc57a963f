import type { TestProject } from "vitest/node";
import { startDnsServers } from "./dns-control-server.ts";
import { startSmtpServers } from "./smtp-control-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Where the servers that stand in for the outside world listen. */
    servers: { [name: string]: number };
  }
}

/** Starts the servers that stand in for the outside world and tells the tests where they listen. */
export default async function setup(project: TestProject) {
  const [smtp, dns] = await Promise.all([startSmtpServers(), startDnsServers()]);
  project.provide("servers", { ...smtp.ports, ...dns.ports });
  return async () => {
    await Promise.all([smtp.stop(), dns.stop()]);
  };
}
