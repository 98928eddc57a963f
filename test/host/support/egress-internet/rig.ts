/** The egress as a process, between a stand-in of the Worker and the local internet. */

import { type Internet, type InternetOptions, startInternet } from "../../../../dev/internet/index.ts";
import { serverKeys } from "../../../support/throwaway-ca.ts";
import { type EgressProcess, startEgressProcess } from "../programs/egress-process.ts";
import { Outbox, SECRET } from "./outbox.ts";

export interface EgressRig {
  internet: Internet;
  outbox: Outbox;
  egress: EgressProcess;
  /** Starts the egress again, after it has ended. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** Starts everything. `variables` are those of the egress. */
export async function startEgressRig(
  options: Partial<InternetOptions> = {},
  variables: Record<string, string> = {},
): Promise<EgressRig> {
  const internet = await startInternet({ keys: serverKeys().local, kept: "size", ...options });
  const outbox = new Outbox();
  await outbox.listen();
  const start = () =>
    startEgressProcess({
      WORKER_URL: outbox.url,
      GATEWAY_SECRET: SECRET,
      DNS_SERVERS: `127.0.0.1:${internet.dnsPort}`,
      DELIVERY_PORT: String(internet.smtpPort),
      ALLOW_PRIVATE_ADDRESSES: "on",
      EGRESS_INSECURE_PORTS: "0",
      // A busy machine is no reason to accept a domain that DNS refuses.
      LIMIT_DNS_MS: "60000",
      ...variables,
    });
  const rig: EgressRig = {
    internet,
    outbox,
    egress: await start(),
    async restart() {
      rig.egress = await start();
    },
    async close() {
      rig.egress.signal("SIGKILL");
      await rig.egress.exited;
      outbox.close();
      await internet.close();
    },
  };
  return rig;
}
