import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createSecureContext, type SecureContext } from "node:tls";
import type { DnsRecord } from "../dns/record.ts";
import type { MailSystem } from "./behaviour.ts";
import { ACCEPTS, defaultSystems } from "./default-systems.ts";
import { startInternetDns } from "./dns/server.ts";
import { internetZone } from "./dns/zone.ts";
import { type Keeping, Receiver } from "./smtp/receiver.ts";
import { Session } from "./smtp/session.ts";

/** Tries to find a port that is free at the addresses of all mail systems. */
const TRIES = 20;

export interface InternetOptions extends Partial<Keeping> {
  /** The mail systems. One of the name `accepts` has all domains that no other has; without it, one is added. */
  systems?: readonly MailSystem[];
  /** Mail systems that other programs play: DNS leads to them, and nothing listens here. */
  elsewhere?: readonly MailSystem[];
  /** Further records of DNS, before those of the mail systems. */
  records?: readonly DnsRecord[];
  keys: { key: string; cert: string };
  /** Port of all MX hosts. 0: a free one. */
  smtpPort?: number;
  dnsPort?: number;
}

/** A local internet that runs. */
export interface Internet {
  /** Port of the MX hosts, each at the address of its mail system. */
  smtpPort: number;
  /** Port of DNS over UDP and TCP on 127.0.0.1. */
  dnsPort: number;
  /** Questions that DNS was asked, as "MX greylist.test", with their number. */
  questions: ReadonlyMap<string, number>;
  /** Returns a mail system by its name, with its counters and messages. Throws when there is none. */
  receiver(name: string): Receiver;
  close(): Promise<void>;
}

/** Starts the MX hosts of these mail systems on loopback addresses, and the DNS that leads to them. */
export async function startInternet(options: InternetOptions): Promise<Internet> {
  const given = options.systems ?? defaultSystems;
  const wanted = given.some(({ name }) => name === ACCEPTS.name) ? given : [ACCEPTS, ...given];
  const systems = await usable(wanted);
  const { kept = "nothing", onMessage, replyTo, mailboxes } = options;
  const receivers = new Map(
    systems.map((system) => [system.name, new Receiver(system, { kept, onMessage, replyTo, mailboxes })]),
  );
  const { key, cert } = options.keys;
  const hosts = await listenAll([...receivers.values()], createSecureContext({ key, cert }), options.smtpPort ?? 0);
  const questions = new Map<string, number>();
  const others = receivers.get(ACCEPTS.name)?.system ?? ACCEPTS;
  const zone = internetZone([...systems, ...(options.elsewhere ?? [])], others, options.records);
  const dns = await startInternetDns(zone, {
    port: options.dnsPort,
    onQuestion(name, type) {
      const question = `${type} ${name}`;
      questions.set(question, (questions.get(question) ?? 0) + 1);
    },
  });
  return {
    smtpPort: hosts.port,
    dnsPort: dns.port,
    questions,
    receiver(name) {
      const receiver = receivers.get(name);
      if (!receiver) throw new Error(`no mail system has the name ${name}`);
      return receiver;
    },
    async close() {
      await hosts.close();
      await dns.close();
    },
  };
}

/** Returns the mail systems whose address this machine has: macOS has no loopback address but 127.0.0.1 by default. */
async function usable(systems: readonly MailSystem[]): Promise<MailSystem[]> {
  const checked = await Promise.all(
    systems.map(async (system) => {
      const server = createServer().listen(0, system.address);
      const isUsable = await once(server, "listening").then(
        () => true,
        (error: NodeJS.ErrnoException) => error.code !== "EADDRNOTAVAIL",
      );
      server.close();
      return isUsable ? [system] : [];
    }),
  );
  return checked.flat();
}

interface Hosts {
  port: number;
  close(): Promise<void>;
}

/** Listens for each receiver at its address, all on one port, because MX records name none. */
async function listenAll(receivers: readonly Receiver[], context: SecureContext, port: number): Promise<Hosts> {
  for (let tries = 1; ; tries++) {
    const servers: Server[] = [];
    const sockets = new Set<Socket>();
    const close = async () => {
      for (const socket of sockets) socket.destroy();
      await Promise.all(servers.map((server) => new Promise((closed) => server.close(closed))));
    };
    try {
      let at = port;
      for (const receiver of receivers) {
        const server = createServer({ noDelay: true }, (socket) => {
          sockets.add(socket);
          socket.on("close", () => sockets.delete(socket));
          new Session(receiver, socket, context);
        });
        server.listen(at, receiver.system.address);
        await once(server, "listening");
        servers.push(server);
        at = (server.address() as AddressInfo).port;
      }
      return { port: at, close };
    } catch (error) {
      await close();
      if (port !== 0 || tries === TRIES) throw error;
    }
  }
}
