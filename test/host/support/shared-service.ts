/** The running service that the files of test/host share: one Worker host with the mail, DNS and Chromium around it. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { HOSTNAME_TARGET } from "../../../dev/custom-hostnames/target.ts";
import { listDomains } from "../../../dev/dns/list-domains.ts";
import { startLocalDns } from "../../../dev/dns/local.ts";
import { DnsApi } from "../../../dev/dns-api/api.ts";
import { LOCAL_TOKEN, LOCAL_ZONES } from "../../../dev/dns-api/local.ts";
import { type Seeded, seedWorkspace } from "../../../dev/seed-workspace.ts";
import type { Ctx } from "../../../src/platform/context.ts";
import { createContext } from "../../../src/platform/create-context.ts";
import { WORKER } from "./hosts/bundle.ts";
import { type Host, startHost } from "./hosts/in-process.ts";
import { findTestPort } from "./ports.ts";

export const GATEWAY_SECRET = "gateway-secret-of-the-tests-0123456789";
/** Domain of the workspace whose mailbox sends the mail of the service itself. */
const SYSTEM_DOMAIN = "service.test";
const HOST = "127.0.0.1";

/** A message that left through the egress, once for each recipient. */
export interface LeftMail {
  from: string;
  to: string;
  /** As Latin-1. */
  raw: string;
}

export interface Service {
  host: Host;
  ctx: Ctx;
  /** MASTER_KEYS of the Worker. */
  masterKeys: string;
  /** Messages that left through the egress, oldest first. */
  left: LeftMail[];
  /** Port of the DNS server and its page. */
  dnsPort: number;
  /** Adds a workspace with a verified domain and the mailbox hello@ it. Its owner is ada@ it. */
  addWorkspace(domain: string, options?: WorkspaceOptions): Promise<Seeded>;
  stop(): Promise<void>;
}

export interface WorkspaceOptions {
  /** Default: Example Shop. */
  name?: string;
  /** DNS answers with the records of all domains of the workspace. Default: true. */
  isPublished?: boolean;
}

let shared: Promise<Service> | null = null;

/** Returns the service of this process, which runs until the process ends. A file adds workspaces of its own to it. */
export function sharedService(): Promise<Service> {
  shared ??= startService();
  return shared;
}

/** Starts a service that is not shared, for a file that needs other variables of the Worker. */
export async function startService(variables: Readonly<Record<string, string>> = {}): Promise<Service> {
  const left: LeftMail[] = [];
  const egress = await startEgress(left);
  const keys: string[] = [];
  const port = await findTestPort();
  const url = `http://${HOST}:${port}`;
  const domains = async () => (await Promise.all(keys.map((key) => listDomains(`${url}/v1`, key)))).flat();
  const zones = LOCAL_ZONES.map((zone) => ({ ...zone, records: [] }));
  const dns = await startLocalDns(0, domains, new DnsApi(zones, LOCAL_TOKEN));
  const all = {
    MASTER_KEYS: `1:${randomBytes(32).toString("base64")}`,
    PUBLIC_URL: url,
    GATEWAY_SECRET,
    EGRESS_URL: `smtp://${HOST}:${egress.port}/?tls=off`,
    SYSTEM_MAILBOX: `hello@${SYSTEM_DOMAIN}`,
    SIGN_UP: "open",
    GITHUB_CLIENT_ID: "client",
    IMAP_HOST: "imap.example.com",
    WEBHOOK_ALLOW_INSECURE: "on",
    ...dnsVariables(`http://${HOST}:${dns.port}`),
    ...variables,
  };
  const host = await startHost(WORKER, all, { queueSeconds: 0, port });
  const ctx = createContext({ ...host.env, ...all } as Env, "test");
  const addWorkspace: Service["addWorkspace"] = async (domain, { name = "Example Shop", isPublished = true } = {}) => {
    const seeded = await seedWorkspace(ctx, { name, email: `ada@${domain}`, domain, mailboxLocalPart: "hello" });
    if (isPublished) keys.push(seeded.apiKey);
    return seeded;
  };
  await addWorkspace(SYSTEM_DOMAIN, { name: "Email service" });
  return {
    ...{ host, ctx, masterKeys: all.MASTER_KEYS, left, dnsPort: dns.port, addWorkspace },
    async stop() {
      await host.stop();
      await dns.close();
      egress.close();
    },
  };
}

/** Returns the variables of a Worker whose DNS, delegated zones and custom hostnames are at this server. */
const dnsVariables = (server: string) => ({
  DNS_RESOLVER_URL: `${server}/dns-query`,
  DELEGATED_ZONES: LOCAL_ZONES.map(({ name, id, maxRecords }) => `${name}=${id}:${maxRecords}`).join(" "),
  DNS_API_URL: `${server}/client/v4`,
  DNS_API_TOKEN: LOCAL_TOKEN,
  HOSTNAME_API_URL: `${server}/client/v4`,
  HOSTNAME_ZONE_ID: "zone",
  HOSTNAME_API_TOKEN: "token",
  HOSTNAME_TARGET,
});

/** Starts an SMTP server that keeps every message. */
async function startEgress(left: LeftMail[]): Promise<{ port: number; close(): void }> {
  const server = new SMTPServer({
    ...{ authOptional: true, disableReverseLookup: true, disabledCommands: ["STARTTLS", "AUTH"], size: 60_000_000 },
    onData(stream, { envelope: { mailFrom, rcptTo } }, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const [raw, from] = [Buffer.concat(chunks).toString("latin1"), mailFrom ? mailFrom.address : ""];
        left.push(...rcptTo.map(({ address }) => ({ from, to: address, raw })));
        done();
      });
    },
  });
  server.on("error", () => {
    // The Worker closed its connection when it stopped.
  });
  server.listen(0, HOST);
  await once(server.server, "listening");
  return { port: (server.server.address() as AddressInfo).port, close: () => server.close() };
}
