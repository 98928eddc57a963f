import type { TestProject } from "vitest/node";
import { startDkimVerifier } from "./dkim-verifier-server.ts";
import { startDnsServers } from "./dns-control-server.ts";
import { startHostnames } from "./hostname-server.ts";
import { startProvider } from "./provider-server.ts";
import { startSlack } from "./slack-server.ts";
import { startSmtpServers } from "./smtp-control-server.ts";
import { startWebhookReceiver } from "./webhook-receiver-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Ports of the simulated SMTP, DNS, identity and Slack servers, by name. */
    servers: { [name: string]: number };
  }
}

/** Starts the simulated SMTP, DNS, identity and Slack servers, the receiver of webhooks and the verifier of DKIM, and provides their ports. */
export default async function setup(project: TestProject) {
  const dns = await startDnsServers();
  const servers = await Promise.all([
    dns,
    startSmtpServers(),
    startHostnames(dns.findCname),
    startProvider(),
    startWebhookReceiver(),
    startSlack(),
    startDkimVerifier(),
  ]);
  const ports = servers.map((server): Record<string, number> => server.ports);
  project.provide("servers", Object.assign({}, ...ports));
  return async () => {
    await Promise.all(servers.map((server) => server.stop()));
  };
}
