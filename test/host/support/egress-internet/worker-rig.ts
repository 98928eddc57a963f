/** The Worker in its own process, the egress and the local internet: the whole path of an email. */
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer } from "node:net";
import os from "node:os";
import path from "node:path";
import { type Internet, type InternetOptions, startInternet } from "../../../../dev/internet/index.ts";
import type { Seeded } from "../../../../dev/seed-workspace.ts";
import { serverKeys } from "../../../support/throwaway-ca.ts";
import { callerOf } from "../call-api.ts";
import { eventually } from "../gateway-rig.ts";
import { type Host, startHost } from "../hosts/start.ts";
import { findTestPort } from "../ports.ts";
import { type EgressProcess, startEgressProcess } from "../programs/egress-process.ts";
import { type Program, startProgram } from "../programs/program.ts";
import type { Server } from "../sending-client.ts";
import { createLogins, gatewayVariables, type SubmissionDoor } from "../submitting-client.ts";
import { SECRET } from "./outbox.ts";

const MASTER_KEYS = `1:${Buffer.alloc(32, 7).toString("base64")}`;

/** An email as the API returns it. */
export interface ApiEmail {
  id: string;
  status: string;
  events: { event_type: string; metadata: Record<string, unknown> }[];
}

export interface WorkerRig {
  internet: Internet;
  host: Host;
  egress: EgressProcess;
  /** The workspace that sends. */
  sender: Seeded;
  /** The Worker as clients see it: they wait while it is not running. */
  server: Server;
  /** Kills the Worker, or the egresses in turn, with SIGKILL and starts it again. */
  killEgress(): Promise<void>;
  killWorker(): Promise<void>;
  /** Starts the gateway before the Worker. `kill` starts it again too. It ends with the rig. */
  startGateway(): Promise<{ door: SubmissionDoor; kill(): Promise<void> }>;
  /** Ends the egress and starts it again on the same port: it forgets pauses and pace. */
  restartEgress(): Promise<void>;
  /** Sends an email, to which `more` adds fields, and returns its id. */
  send(to: string, more?: object): Promise<string>;
  read(id: string): Promise<ApiEmail>;
  /** Waits until an email has a status, and returns it. */
  becomes(id: string, status: string): Promise<ApiEmail>;
  close(): Promise<void>;
}

/** Starts everything. `variables` are those of the egress. With `isDoubled` there are two egresses behind one name. */
export async function startWorkerRig(
  options: Partial<InternetOptions>,
  variables: Record<string, string> = {},
  isDoubled = false,
): Promise<WorkerRig> {
  const stateDir = await mkdtemp(path.join(os.tmpdir(), "email-delivery-egress-"));
  const internet = await startInternet({ keys: serverKeys().local, ...options });
  const port = await findTestPort();
  const start = (egressPort: number) =>
    startEgressProcess({
      WORKER_URL: `http://127.0.0.1:${port}`,
      GATEWAY_SECRET: SECRET,
      DNS_SERVERS: `127.0.0.1:${internet.dnsPort}`,
      DELIVERY_PORT: String(internet.smtpPort),
      ALLOW_PRIVATE_ADDRESSES: "on",
      EGRESS_INSECURE_PORTS: String(egressPort),
      ...variables,
    });
  const egress = await start(0);
  const [firstPort = 0] = egress.ports;
  let second = isDoubled ? await start(0) : null;
  const secondPort = second?.ports[0] ?? firstPort;
  const front = isDoubled ? await inTurns([firstPort, secondPort]) : null;
  const egressPort = front?.port ?? firstPort;
  let killed = 0;
  const vars = { MASTER_KEYS, GATEWAY_SECRET: SECRET, EGRESS_URL: `smtp://127.0.0.1:${egressPort}/?tls=off` };
  const startWorker = () => startHost({ stateDir, port, vars, queueSeconds: 0 });
  const host = await startWorker().catch(async (error) => {
    egress.signal("SIGKILL");
    await internet.close();
    throw error;
  });
  let gateway: Program | null = null;
  let url = Promise.withResolvers<string>();
  url.resolve(host.url);
  const seed = await host.seed({
    name: "Sender",
    email: "owner@sender.test",
    domain: "sender.test",
    mailboxLocalPart: "hello",
  });
  const api = callerOf(() => rig.host.url, seed.apiKey);
  const rig: WorkerRig = {
    ...{ internet, host, egress },
    sender: seed,
    server: { url: () => url.promise, apiKeys: [seed.apiKey] },
    async killEgress() {
      if (second && killed++ % 2 === 1) {
        second.signal("SIGKILL");
        await second.exited;
        second = await start(secondPort);
        return;
      }
      rig.egress.signal("SIGKILL");
      await rig.egress.exited;
      rig.egress = await start(firstPort);
    },
    async killWorker() {
      url = Promise.withResolvers();
      await rig.host.kill();
      rig.host = await startWorker();
      url.resolve(rig.host.url);
    },
    async startGateway() {
      const port = await findTestPort();
      const { caFile, variables } = await gatewayVariables(rig.host.url, path.join(stateDir, "certificates"), port);
      const run = () => startProgram("mail-gateway/main.ts", variables);
      gateway = (await run()).program;
      const logins = await createLogins(rig.host.url, [seed]);
      const kill = async () => {
        gateway?.signal("SIGKILL");
        await gateway?.exited;
        gateway = (await run()).program;
      };
      return { door: { port, caFile, logins }, kill };
    },
    async restartEgress() {
      rig.egress.signal("SIGTERM");
      await rig.egress.exited;
      rig.egress = await start(firstPort);
    },
    async send(to, more = {}) {
      const content = { to: [{ email: to }], subject: "To a mail system", text: "Hello.", ...more };
      const sent = (await api("POST", "/v1/emails/", { from_: { email: seed.mailbox }, ...content })) as { id: string };
      return sent.id;
    },
    read: (id) => api("GET", `/v1/emails/${id}`) as Promise<ApiEmail>,
    becomes: (id, status) =>
      eventually(async () => {
        const email = await rig.read(id);
        return email.status === status ? email : undefined;
      }),
    async close() {
      await gateway?.stop();
      await rig.host.stop();
      front?.close();
      for (const one of [rig.egress, second]) {
        one?.signal("SIGKILL");
        await one?.exited;
      }
      await internet.close();
      await rm(stateDir, { recursive: true, force: true });
    },
  };
  return rig;
}

/** Listens on a port whose connections lead to the others in turn, as those to a name with several addresses. */
async function inTurns(ports: readonly number[]): Promise<{ port: number; close(): void }> {
  let turn = 0;
  const server = createServer((client) => {
    const target = connect(ports[turn++ % ports.length] ?? 0, "127.0.0.1");
    for (const [one, other] of [
      [client, target],
      [target, client],
    ] as const)
      one.on("error", () => other.destroy()).on("close", () => other.destroy());
    client.pipe(target).pipe(client);
  });
  const port = await findTestPort();
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return { port, close: () => server.close() };
}
