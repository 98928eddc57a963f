/** The DKIM verifier of mailauth, which runs in Node only, for tests in workerd. */

import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { readBody } from "../../dev/dns/server.ts";

interface Result {
  signingDomain: string;
  selector: string;
  algo: string;
  status: { result: string };
}
type Resolver = (name: string) => Promise<string[][]>;
type Verify = (message: Buffer, options: { resolver: Resolver }) => Promise<{ results: Result[] }>;
// Its types lack the `resolver` option.
const { dkimVerify } = createRequire(import.meta.url)("mailauth/lib/dkim/verify.js") as { dkimVerify: Verify };

/** Starts the server. A POST of a message in base64 and of TXT records by name returns `<domain> <selector> <algorithm> <result>`s. */
export async function startDkimVerifier() {
  const server = createServer((request, response) => {
    readBody(request)
      .then(async (body) => {
        const { message, records } = JSON.parse(body.toString()) as {
          message: string;
          records: Record<string, string>;
        };
        const resolver: Resolver = async (name) => {
          const record = records[name];
          if (record === undefined) throw Object.assign(new Error("no such name"), { code: "ENOTFOUND" });
          return [[record]];
        };
        const { results } = await dkimVerify(Buffer.from(message, "base64"), { resolver });
        response.end(
          JSON.stringify(
            results.map((one) => `${one.signingDomain} ${one.selector} ${one.algo} ${one.status.result}`).sort(),
          ),
        );
      })
      .catch((error) => response.writeHead(500).end(String(error)));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    ports: { dkimVerifier: (server.address() as AddressInfo).port },
    async stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
