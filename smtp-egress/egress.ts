import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import type { Clock } from "../mail-gateway/clock.ts";
import { log } from "../mail-gateway/log.ts";
import { WorkerClient } from "../mail-gateway/worker-client.ts";
import { withTimeout } from "../src/lib/deadline.ts";
import { addressCheck } from "./allowed-addresses.ts";
import type { EgressConfig } from "./config.ts";
import { Deliveries } from "./deliveries.ts";
import { findDestinations } from "./destinations.ts";
import { startHealth } from "./health.ts";
import { Hold } from "./hold.ts";
import { Intake } from "./intake.ts";
import { Leases, type Renewal } from "./leases.ts";
import { metricsText } from "./metrics.ts";
import { readReceivers } from "./receivers/read-receivers.ts";
import { Reporter } from "./reporter.ts";
import type { Route } from "./route.ts";
import { Scheduler } from "./scheduler.ts";
import { startServers } from "./server.ts";
import { findSourceAddress } from "./source-address.ts";
import { type VolumeRow, Volumes } from "./volumes.ts";
import { WarmUpReport } from "./warm-up-report.ts";

/** A running egress. */
export interface Egress {
  /** The ports that it listens on, in the order of the configuration, and that of health. */
  ports: number[];
  healthPort: number | null;
  /** Reads the certificate again. */
  reloadCertificate(): void;
  /** Takes no new mail, returns what has no final dot, and waits for results and acknowledgements for `limits.closeMs`. */
  close(): Promise<void>;
}

/** Starts the egress. */
export async function startEgress(config: EgressConfig, clock: Clock): Promise<Egress> {
  const { limits } = config;
  const worker = new WorkerClient(config.workerUrl, config.secret);
  const hold = new Hold(config.memoryBytes);
  const leases = new Leases({
    renew: async (tickets) => (await worker.call("leases", { tickets })) as unknown as Renewal,
    renewMs: limits.renewMs,
    clock,
  });
  const address = config.sourceAddress ?? (await findSourceAddress());
  const tellWarmUp = () => worker.call("volume", { address, name: config.name, warm_up: config.warmUp });
  const volumes =
    config.warmUp && new Volumes(config.warmUp.since, async () => (await tellWarmUp()).receivers as VolumeRow[], clock);
  const warmUpReport = new WarmUpReport(tellWarmUp, { isTold: volumes !== null, clock });
  const reporter = new Reporter({
    call: async (body) => (await worker.call("outcomes", body)).lost as string[],
    leases,
    address,
    groupMs: limits.groupMs,
    unacknowledged: limits.unacknowledged,
    clock,
  });
  const ca = config.caFile === null ? null : readFileSync(config.caFile);
  const issueOf = addressCheck(config.allowsPrivateAddresses, config.sourceAddress);
  const { routeOf, destinationOf, dane } = findDestinations(config, { ca, issueOf, clock });
  const receivers = readReceivers(config.receiversFile === null ? "{}" : readFileSync(config.receiversFile, "utf8"));
  const queueOf = ({ hosts }: Route & { kind: "hosts" }) =>
    scheduler.queueOf(receivers.receiverOf(hosts.map(({ name }) => name)));
  const deliveries = new Deliveries({ hold, leases, reporter, limits, clock, routeOf, queueOf, destinationOf });
  const { name, deliveryPort: port, sourceAddress } = config;
  const scheduler = new Scheduler({
    connect: { name, port, sourceAddress, ca, limits, clock },
    guard: deliveries.guard,
    clock,
    receiverOf: (host) => receivers.receiverOf([host]),
    volumes,
    limits,
    freeBytes: () => hold.free,
    onResults: deliveries.onResults,
  });
  let isStopping = false;
  const intake = new Intake({
    config,
    clock,
    hold,
    leases,
    routeOf,
    queueOf,
    take: (...email) => deliveries.take(...email),
    isStopping: () => isStopping,
    isReady: () => volumes?.isKnown !== false,
    isStuck: () => reporter.isStuck,
  });
  const servers = await startServers(config, intake, clock);
  const health =
    config.healthPort === null
      ? null
      : await startHealth({
          port: config.healthPort,
          host: config.host,
          isHealthy: () => worker.isReachable(),
          metrics: () => metricsText({ address, hold, reporter, queues: scheduler.queues, dane }, clock.now()),
        });
  return {
    ports: servers.ports,
    healthPort: health && (health.address() as AddressInfo).port,
    reloadCertificate: servers.reloadCertificate,
    async close() {
      isStopping = true;
      health?.close();
      const closed = servers.close();
      deliveries.returnAll();
      const isDone = closed.then(() => deliveries.ended()).then(() => reporter.flushed());
      await withTimeout(limits.closeMs, isDone).catch(() => log("stopped.unacknowledged", { emails: hold.count }));
      volumes?.close();
      warmUpReport.close();
      scheduler.close();
      leases.close();
      worker.close();
    },
  };
}
