/** Submits the emails of a kill run through the mail gateway, which outlives the host that is killed. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Seeded } from "../../../dev/seed-workspace.ts";
import { systemClock } from "../../../mail-gateway/clock.ts";
import { readConfig } from "../../../mail-gateway/config.ts";
import { type Gateway, startGateway } from "../../../mail-gateway/gateway.ts";
import { callerOf } from "./call-api.ts";
import { certificateFiles, type Login } from "./gateway-rig.ts";
import type { SendAttempt, Server } from "./sending-client.ts";
import { GATEWAY_SECRET } from "./shared-service.ts";
import { SmtpClient } from "./smtp-client.ts";

/** Wait before a command is repeated, in ms. */
const RETRY_MS = 20;

/** The submission port of a gateway and the logins of workspaces, by API key. */
export interface SubmissionDoor {
  /** Of implicit TLS. */
  port: number;
  caFile: string;
  logins: ReadonlyMap<string, Login & { mailbox: string }>;
}

/** Returns the variables of a gateway on 127.0.0.1 in front of a Worker at this URL, and the file of its authority. */
export async function gatewayVariables(url: string, directory: string, port = 0) {
  const { authorityFile: caFile, variables } = await certificateFiles(directory);
  return {
    caFile,
    variables: {
      ...variables,
      GATEWAY_NAME: "localhost",
      GATEWAY_HOST: "127.0.0.1",
      GATEWAY_SECRET,
      WORKER_URL: url,
      SUBMISSION_TLS_PORTS: String(port),
      // Without a host the clients connect many times a second, and would then wait for the next minute.
      LIMIT_CONNECTIONS_PER_MINUTE: "1000000",
    },
  };
}

/** Creates an SMTP credential for each workspace. */
export async function createLogins(url: string, seeds: readonly Seeded[]): Promise<SubmissionDoor["logins"]> {
  const logins = new Map<string, Login & { mailbox: string }>();
  for (const { apiKey, domainId, mailbox } of seeds) {
    const login = await callerOf(url, apiKey)<Login>("POST", "/v1/smtp-credentials/", { domain_id: domainId });
    logins.set(apiKey, { ...login, mailbox });
  }
  return logins;
}

/** Starts the gateway and creates the credentials. The host must be running. */
export async function openDoor(
  server: Server,
  seeds: readonly Seeded[],
  directory: string,
): Promise<SubmissionDoor & { gateway: Gateway }> {
  const url = await server.url();
  const { caFile, variables } = await gatewayVariables(url, directory);
  const logins = await createLogins(url, seeds);
  const gateway = await startGateway(readConfig(variables), systemClock);
  return { gateway, port: gateway.ports.submission[0] ?? 0, caFile, logins };
}

/** One mail program. It keeps its connections, and repeats a message until it gets 250. */
export class SubmittingClient {
  readonly #door: SubmissionDoor;
  readonly #connections = new Map<string, SmtpClient>();

  constructor(door: SubmissionDoor) {
    this.#door = door;
  }

  async send(mail: SendAttempt): Promise<void> {
    const { subject, recipients } = mail;
    const { mailbox } = this.#loginOf(mail);
    const text = `From: ${mailbox}\r\nTo: ${recipients[0]}\r\nSubject: ${subject}\r\n\r\nThe text of ${subject}.\r\n.\r\n`;
    for (;;) {
      const client = await this.#connect(mail);
      const begun = client && (await client.begin(mailbox, ...recipients));
      if (begun?.startsWith("354")) {
        client?.write(text);
        const reply = (await client?.reply()) ?? "";
        const [, id] = /^250 .*Queued as (\S+)/.exec(reply) ?? [];
        if (id !== undefined) {
          mail.ids.add(id);
          return;
        }
        if (reply.startsWith("5")) throw new Error(`a valid message got a response ${reply}`);
        mail.responseLost = true;
      } else if (client) {
        await client.command("RSET");
      }
      if (client?.isClosed) this.#connections.delete(mail.apiKey);
      await sleep(RETRY_MS);
    }
  }

  close(): void {
    for (const client of this.#connections.values()) client.end();
  }

  async #connect(mail: SendAttempt): Promise<SmtpClient | null> {
    const known = this.#connections.get(mail.apiKey);
    if (known && !known.isClosed) return known;
    const { port, caFile } = this.#door;
    const ports = { starttls: 0, implicit: port, mx: 0, health: 0 };
    try {
      const client = await SmtpClient.loggedIn({ ports, caFile, login: this.#loginOf(mail) });
      this.#connections.set(mail.apiKey, client);
      return client;
    } catch {
      // The gateway is not running, or the login reached no host.
      return null;
    }
  }

  #loginOf({ apiKey }: SendAttempt): Login & { mailbox: string } {
    const login = this.#door.logins.get(apiKey);
    if (!login) throw new Error("the workspace has no SMTP credential");
    return login;
  }
}
