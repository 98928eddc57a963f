import type { TestProject } from "vitest/node";
import { startDnsServers } from "./dns-control-server.ts";
import { startSmtpServers } from "./smtp-control-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Ports of the simulated SMTP and DNS servers, by name. */
    servers: { [name: string]: number };
  }
}

/** Starts the simulated SMTP and DNS servers and provides their ports to the tests. */
export default async function setup(project: TestProject) {
  const [smtp, dns] = await Promise.all([startSmtpServers(), startDnsServers()]);
  project.provide("servers", { ...smtp.ports, ...dns.ports });
  return async () => {
    await Promise.all([smtp.stop(), dns.stop()]);
  };
}
