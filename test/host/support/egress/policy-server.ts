/** Serves the MTA-STS policy of a domain over HTTPS. */
import { once } from "node:events";
import https from "node:https";
import type { AddressInfo } from "node:net";
import type { TestAuthority } from "./certificates.ts";
import type { ZoneEntry } from "./dns.ts";

export interface PolicyPlan {
  mode: string;
  /** Pattern of its MX hosts. */
  mx: string;
  domain?: string;
  /** Name in the certificate of the server. */
  certified?: string;
}

/** Serves the policy of a domain, announces it in `zone`, and returns the port and what was fetched. */
export async function servePolicy(
  zone: Record<string, ZoneEntry>,
  authority: TestAuthority,
  { mode, mx, domain = "one.test", certified = `mta-sts.${domain}` }: PolicyPlan,
) {
  const fetched: string[] = [];
  const server = https.createServer(await authority.certify(certified), (request, response) => {
    fetched.push(`${request.headers.host}${request.url}`);
    response.writeHead(200, { "Content-Type": "text/plain" });
    response.end(`version: STSv1\r\nmode: ${mode}\r\nmx: ${mx}\r\nmax_age: 86400\r\n`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  zone[`_mta-sts.${domain}`] = { txt: ["v=STSv1; id=1;"] };
  zone[`mta-sts.${domain}`] = { a: ["127.0.0.1"] };
  return { port: (server.address() as AddressInfo).port, fetched, close: () => server.close() };
}
