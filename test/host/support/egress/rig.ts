/** An egress with receivers that follow scripts, a DNS server, and a stand-in for the Worker. */
import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import net from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { type EgressConfig, type EgressLimits, readConfig } from "../../../../smtp-egress/config.ts";
import { type Egress, startEgress } from "../../../../smtp-egress/egress.ts";
import { NodeSocket } from "../../../../smtp-egress/node-socket.ts";
import { EGRESS_LEASE_MS, type Ticket, writeTicket } from "../../../../src/mail/egress-tickets/index.ts";
import {
  type Connection,
  performHandshake,
  type RecipientResult,
  smtpConnection,
} from "../../../../src/mail/smtp/client.ts";
import { ScriptedServer } from "../../../support/scripted-smtp.ts";
import type { Script } from "../../../support/smtp-script.ts";
import { serverKeys } from "../../../support/throwaway-ca.ts";
import { findTestPort } from "../ports.ts";
import { startTestDns, type ZoneEntry } from "./dns.ts";
import { StandInWorker } from "./worker.ts";

const HOST = "127.0.0.1";
const TIMING = { connectMs: 5_000, replyMs: 20_000, finalDotMs: 20_000, quitMs: 1_000 };

/** Receivers of the operator, as their file has them. */
export type ReceiversFile = { name: string; mxSuffixes: string[]; limits?: object; rules?: object[] }[];

export interface EgressRig {
  egress: Egress;
  worker: StandInWorker;
  zone: Record<string, ZoneEntry>;
  /** Starts a receiver for `<name>.test`, with the MX host `mx.<name>.test` on an address of its own. */
  receiver(name: string, script?: Script, keys?: { key: string; cert: string }): Promise<ScriptedServer>;
  /** Opens a connection for hand-overs. */
  connect(): Promise<Connection>;
  /** Hands over an email on one connection for all calls, and returns the results of its recipients. */
  handOver(email: Email): Promise<readonly RecipientResult[]>;
  port: number;
  close(): Promise<void>;
}

export interface Email {
  to: string[];
  from?: string;
  ticket?: string;
  text?: string;
  needsSmtpUtf8?: boolean;
}

/** Returns a ticket of a new row, or with these fields. */
export function aTicket(fields: Partial<Ticket> = {}): string {
  return writeTicket({
    shard: 0,
    row: randomUUID(),
    token: randomUUID(),
    until: Date.now() + EGRESS_LEASE_MS,
    email: randomUUID(),
    n: 1,
    attempt: 1,
    isRepeated: false,
    ...fields,
  });
}

/** Starts an egress with these limits and settings, after `prepare` has set what the Worker does. */
export async function startEgressRig(
  limits: Partial<EgressLimits> = {},
  settings: Partial<EgressConfig> & { receivers?: ReceiversFile } = {},
  prepare: (worker: StandInWorker) => void = () => {},
): Promise<EgressRig> {
  const folder = await mkdtemp(path.join(tmpdir(), "egress-"));
  const receiversFile = path.join(folder, "receivers.json");
  await writeFile(receiversFile, JSON.stringify(settings.receivers ?? []));
  const worker = new StandInWorker();
  prepare(worker);
  const zone: Record<string, ZoneEntry> = {};
  const dns = await startTestDns(zone);
  const deliveryPort = await findTestPort();
  const config = readConfig({
    EGRESS_NAME: "out.egress.test",
    EGRESS_HOST: HOST,
    EGRESS_INSECURE_PORTS: "0",
    WORKER_URL: await worker.start(),
    GATEWAY_SECRET: "gateway-secret-of-the-tests-0123456789",
    DNS_SERVERS: dns.server,
    DELIVERY_PORT: String(deliveryPort),
    ALLOW_PRIVATE_ADDRESSES: "on",
    RECEIVERS_FILE: receiversFile,
    CA_FILE: process.env.NODE_EXTRA_CA_CERTS,
  });
  const egress = await startEgress({ ...config, ...settings, limits: { ...config.limits, ...limits } });
  const receivers: ScriptedServer[] = [];
  const [port = 0] = egress.ports;
  let kept: Promise<Connection> | null = null;
  const connect = () => connectTo(port);
  return {
    egress,
    worker,
    zone,
    port,
    connect,
    async receiver(name, script = {}, keys = serverKeys().local) {
      const server = new ScriptedServer(script, keys);
      const address = `127.0.0.${10 + receivers.length}`;
      receivers.push(server);
      await server.listen(deliveryPort, address);
      zone[`${name}.test`] = { mx: [[10, `mx.${name}.test`]] };
      zone[`mx.${name}.test`] = { a: [address] };
      return server;
    },
    async handOver({ to, from = "sender@shop.test", ticket = aTicket(), text = "Hello.", needsSmtpUtf8 = false }) {
      kept ??= connect();
      const bytes = Buffer.from(`From: ${from}\r\nSubject: test\r\n\r\n${text}\r\n`);
      const { recipients } = await (await kept).send(
        { mailFrom: from, recipients: to.map((address) => ({ address })), envelopeId: ticket },
        { size: bytes.length, needsSmtpUtf8, needs8BitMime: false, inMemory: [bytes], async *chunks() {} },
      );
      return recipients;
    },
    async close() {
      for (const receiver of receivers) receiver.close();
      await egress.close();
      worker.close();
      dns.close();
      await rm(folder, { recursive: true });
    },
  };
}

async function connectTo(port: number): Promise<Connection> {
  const socket = new NodeSocket(net.connect(port, HOST), {});
  await socket.opened;
  const settings = { tls: "off", credentials: null, serverName: null, ehloName: "worker.test" } as const;
  const { session, server } = await performHandshake(socket, settings, TIMING);
  return smtpConnection(session, server, TIMING);
}
