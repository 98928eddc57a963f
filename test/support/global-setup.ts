import type { TestProject } from "vitest/node";
import { startDnsServers } from "./dns-control-server.ts";
import { startProvider } from "./provider-server.ts";
import { startSmtpServers } from "./smtp-control-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Ports of the simulated SMTP, DNS and identity servers, by name. */
    servers: { [name: string]: number };
  }
}

/** Starts the simulated SMTP, DNS and identity servers and provides their ports to the tests. */
export default async function setup(project: TestProject) {
  const [smtp, dns, provider] = await Promise.all([startSmtpServers(), startDnsServers(), startProvider()]);
  project.provide("servers", { ...smtp.ports, ...dns.ports, ...provider.ports });
  return async () => {
    await Promise.all([smtp.stop(), dns.stop(), provider.stop()]);
  };
}
