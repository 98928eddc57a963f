/** Serves MTA-STS policies over HTTPS. */
import { once } from "node:events";
import https from "node:https";
import type { AddressInfo } from "node:net";
import type { TestAuthority } from "../test-authority.ts";
import type { ZoneEntry } from "./dns.ts";

export interface PolicyPlan {
  mode: string;
  /** Pattern of its MX hosts. */
  mx: string;
  domain?: string;
  /** Name in the certificate of the server. */
  certified?: string;
}

export interface PolicyServer {
  port: number;
  /** Host and path of each request. */
  fetched: string[];
  close(): void;
}

/** Serves the policy of each domain with a certificate of these names. */
export async function servePolicies(
  authority: TestAuthority,
  policies: Readonly<Record<string, Pick<PolicyPlan, "mode" | "mx">>>,
  certified: readonly string[],
): Promise<PolicyServer> {
  const fetched: string[] = [];
  const server = https.createServer(await authority.certify(...certified), (request, response) => {
    const { host = "" } = request.headers;
    fetched.push(`${host}${request.url}`);
    const policy = policies[host.replace(/^mta-sts\./, "")];
    response.writeHead(policy ? 200 : 404, { "Content-Type": "text/plain" });
    response.end(`version: STSv1\r\nmode: ${policy?.mode}\r\nmx: ${policy?.mx}\r\nmax_age: 86400\r\n`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { port: (server.address() as AddressInfo).port, fetched, close: () => server.close() };
}

/** Serves the policy of a domain, and announces it in `zone`. */
export async function servePolicy(
  zone: Record<string, ZoneEntry>,
  authority: TestAuthority,
  { mode, mx, domain = "one.test", certified = `mta-sts.${domain}` }: PolicyPlan,
): Promise<PolicyServer> {
  zone[`_mta-sts.${domain}`] = { txt: ["v=STSv1; id=1;"] };
  zone[`mta-sts.${domain}`] = { a: ["127.0.0.1"] };
  return servePolicies(authority, { [domain]: { mode, mx } }, [certified]);
}
