/** A Worker and a gateway in processes of their own, both of which a test can kill and start again on the same ports and state. */
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { Seeded } from "../../../../dev/seed-workspace.ts";
import { callerOf } from "../call-api.ts";
import { certificateFiles } from "../gateway-rig.ts";
import { ImapClient } from "../imap-client.ts";
import { findTestPort } from "../ports.ts";
import { type GatewayProcess, startGatewayProcess } from "../programs/gateway-process.ts";
import { RestartableHost } from "../restartable-host.ts";
import { GATEWAY_SECRET } from "../shared-service.ts";
import type { StressLogin } from "./stress-client.ts";

const PASSWORD = "correct horse battery staple";
const MASTER_KEYS = `1:${Buffer.alloc(32, 7).toString("base64")}`;

export interface ImapSite {
  host: RestartableHost;
  login: StressLogin;
  /** The gateway that runs now. */
  gateway(): GatewayProcess;
  /** Kills the gateway and starts another. */
  restartGateway(): Promise<void>;
  loggedIn(folder: string): Promise<ImapClient>;
  /** Calls the API of the mailbox. */
  inbox(method: string, path: string, body?: unknown, of?: Seeded): Promise<unknown>;
  /** Puts a message into the inbox by the API, or into that of another workspace. */
  receive(subject: string, of?: Seeded): Promise<void>;
  others: Seeded[];
  close(): Promise<void>;
}

/** Starts a site with a workspace for each further domain. */
export async function startImapSite(...others: string[]): Promise<ImapSite> {
  const stateDir = await mkdtemp(path.join(os.tmpdir(), "email-delivery-imap-"));
  const [hostPort, imapPort] = [await findTestPort(), await findTestPort()];
  const vars = { MASTER_KEYS, GATEWAY_SECRET, EGRESS_URL: "smtp://127.0.0.1:9/?tls=off" };
  const host = new RestartableHost({ stateDir, port: hostPort, vars, queueSeconds: 0 });
  const [seed, ...otherSeeds] = await host.startAndSeed("gateway.test", ...others);
  if (!seed) throw new Error("nothing was seeded");
  await host.start();
  const { authorityFile, variables } = await certificateFiles(path.join(stateDir, "certificates"));
  const start = () =>
    startGatewayProcess({
      ...variables,
      GATEWAY_SECRET,
      WORKER_URL: `http://127.0.0.1:${hostPort}`,
      IMAP_TLS_PORTS: String(imapPort),
      LIMIT_CONNECTIONS_PER_MINUTE: "1000000",
      LIMIT_CONNECTIONS_PER_IP: "1000",
      // A gateway that keeps what it no longer needs ends; without a limit V8 leaves garbage for long.
      NODE_OPTIONS: "--max-old-space-size=96 --max-semi-space-size=8",
    });
  let gateway = await start();
  const api = (method: string, apiPath: string, body?: unknown, { apiKey } = seed): Promise<unknown> =>
    callerOf(() => host.url(), apiKey)(method, apiPath, body);
  await api("PUT", `/v1/mailboxes/${seed.mailboxId}/password`, { password: PASSWORD });
  const login = { port: imapPort, caFile: authorityFile, username: seed.mailbox, password: PASSWORD };
  const inbox: ImapSite["inbox"] = (method, apiPath, body, of = seed) =>
    api(method, `/v1/inbox/${of.mailboxId}${apiPath}`, body, of);
  return {
    host,
    login,
    gateway: () => gateway,
    async restartGateway() {
      process.kill(gateway.pid, "SIGKILL");
      await gateway.exited;
      gateway = await start();
    },
    async loggedIn(folder) {
      const { client } = await ImapClient.connect(login);
      for (const command of [`LOGIN ${login.username} "${PASSWORD}"`, `SELECT ${folder}`]) {
        const responses = await client.command(command);
        if (!responses.at(-1)?.startsWith("OK")) throw new Error(`${command}: ${responses.at(-1)}`);
      }
      return client;
    },
    inbox,
    others: otherSeeds,
    async receive(subject, of) {
      const draft = { to: ["a@example.org"], subject, text: subject };
      const { uid } = (await inbox("POST", "/drafts", draft, of)) as { uid: number };
      await inbox("POST", `/messages/${uid}/move?folder=Drafts`, { folder: "INBOX" }, of);
    },
    async close() {
      await gateway.stop();
      await host.stop();
      await rm(stateDir, { recursive: true, force: true });
    },
  };
}
