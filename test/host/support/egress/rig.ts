/** An egress in this process, with receivers that follow scripts, a DNS server, and a stand-in for the Worker. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Clock, systemClock } from "../../../../mail-gateway/clock.ts";
import { type EgressConfig, type EgressLimits, readConfig } from "../../../../smtp-egress/config.ts";
import { type Egress, startEgress } from "../../../../smtp-egress/egress.ts";
import type { Connection, RecipientResult } from "../../../../src/mail/smtp/client.ts";
import { ManualClock } from "../manual-clock.ts";
import { connectToEgress, type Email, handOver } from "./hand-over.ts";
import { type Surroundings, startSurroundings } from "./surroundings.ts";
import type { StandInWorker } from "./worker.ts";

/** Receivers of the operator, as their file has them. */
export type ReceiversFile = { name: string; mxSuffixes: string[]; limits?: object; rules?: object[] }[];

export interface EgressRig extends Omit<Surroundings, "close" | "closeReceivers"> {
  egress: Egress;
  port: number;
  /** Hands over an email, all on one connection, and returns the results of its recipients. */
  handOver(email: Email): Promise<readonly RecipientResult[]>;
  close(): Promise<void>;
}

export interface RigSettings extends Partial<EgressConfig> {
  receivers?: ReceiversFile;
  /** The DNS server is its DANE_RESOLVER. */
  usesDane?: boolean;
  /** The clock of the egress and of the Worker, without its offset. */
  clock?: Clock;
}

/** Limits that no egress of a test reaches because the machine is busy. */
const PATIENT = { dnsMs: 60_000, heldMs: 60_000, idleMs: 600_000 };

/** Starts an egress with these limits and settings, after `prepare` has set what the Worker does. */
export async function startEgressRig(
  limits: Partial<EgressLimits> = {},
  { receivers = [], usesDane = false, clock = systemClock, ...settings }: RigSettings = {},
  prepare: (worker: StandInWorker) => void = () => {},
): Promise<EgressRig> {
  const folder = await mkdtemp(path.join(tmpdir(), "egress-"));
  const receiversFile = path.join(folder, "receivers.json");
  await writeFile(receiversFile, JSON.stringify(receivers));
  const surroundings = await startSurroundings();
  const { worker } = surroundings;
  worker.clock = clock;
  prepare(worker);
  const config = readConfig({ ...surroundings.variables, EGRESS_INSECURE_PORTS: "0", RECEIVERS_FILE: receiversFile });
  const daneResolver = usesDane ? { address: "127.0.0.1", port: surroundings.dns.port } : null;
  const given = { ...config, daneResolver, ...settings, limits: { ...config.limits, ...PATIENT, ...limits } };
  const egress = await startEgress(given, clock);
  const [port = 0] = egress.ports;
  let kept: Promise<Connection> | null = null;
  return {
    ...surroundings,
    egress,
    port,
    async handOver(email) {
      kept ??= connectToEgress({ port });
      return handOver(await kept, email);
    },
    async close() {
      surroundings.closeReceivers();
      worker.mode = "works";
      worker.leaseMode = "works";
      await (clock instanceof ManualClock ? clock.advanceUntil(egress.close()) : egress.close());
      surroundings.close();
      await rm(folder, { recursive: true });
    },
  };
}
