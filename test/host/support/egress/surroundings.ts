/** All that an egress talks to: a stand-in for the Worker, a DNS server, and receivers that follow scripts. */
import { ScriptedServer } from "../../../support/scripted-smtp.ts";
import type { Script } from "../../../support/smtp-script.ts";
import { serverKeys } from "../../../support/throwaway-ca.ts";
import { findTestPort } from "../ports.ts";
import { startTestDns, type TestDns, type ZoneEntry } from "./dns.ts";
import { StandInWorker } from "./worker.ts";

export interface Surroundings {
  worker: StandInWorker;
  zone: Record<string, ZoneEntry>;
  dns: TestDns;
  /** Starts a receiver for `<name>.test`, with the MX host `mx.<name>.test` on an address of its own. */
  receiver(name: string, script?: Script, keys?: { key: string; cert: string }): Promise<ScriptedServer>;
  /** Settings of an egress among them. */
  variables: Record<string, string>;
  /** Ends the receivers, whose emails the egress then reports. */
  closeReceivers(): void;
  close(): void;
}

export async function startSurroundings(): Promise<Surroundings> {
  const worker = new StandInWorker();
  const zone: Record<string, ZoneEntry> = {};
  const dns = await startTestDns(zone);
  const deliveryPort = await findTestPort();
  const receivers: ScriptedServer[] = [];
  const closeReceivers = () => {
    for (const receiver of receivers.splice(0)) receiver.close();
  };
  return {
    worker,
    zone,
    dns,
    async receiver(name, script = {}, keys = serverKeys().local) {
      const server = new ScriptedServer(script, keys);
      const address = `127.0.0.${10 + receivers.length}`;
      receivers.push(server);
      await server.listen(deliveryPort, address);
      zone[`${name}.test`] = { mx: [[10, `mx.${name}.test`]] };
      zone[`mx.${name}.test`] = { a: [address] };
      return server;
    },
    variables: {
      EGRESS_NAME: "out.egress.test",
      EGRESS_HOST: "127.0.0.1",
      WORKER_URL: await worker.start(),
      GATEWAY_SECRET: "gateway-secret-of-the-tests-0123456789",
      DNS_SERVERS: dns.server,
      DELIVERY_PORT: String(deliveryPort),
      ALLOW_PRIVATE_ADDRESSES: "on",
      CA_FILE: process.env.NODE_EXTRA_CA_CERTS ?? "",
    },
    closeReceivers,
    close() {
      closeReceivers();
      worker.close();
      dns.close();
    },
  };
}
