/** Hands emails over to an egress with the SMTP client of the Worker. */
import { randomUUID } from "node:crypto";
import net from "node:net";
import tls from "node:tls";
import { NodeSocket } from "../../../../smtp-egress/node-socket.ts";
import { type Ticket, writeTicket } from "../../../../src/mail/egress-tickets/ticket.ts";
import {
  type Connection,
  performHandshake,
  type RecipientResult,
  smtpConnection,
} from "../../../../src/mail/smtp/client.ts";

export interface Email {
  to: string[];
  from?: string;
  /** Null: the egress is to deliver it before it replies. */
  ticket?: string | null;
  text?: string;
  needsSmtpUtf8?: boolean;
}

/** How to connect: `ca` is the authority of the egress's certificate. */
interface Access {
  port: number;
  tls?: "implicit" | "starttls" | "off";
  ca?: Buffer;
  credentials?: { username: string; password: string };
}

const HOST = "127.0.0.1";
const TIMING = { connectMs: 60_000, replyMs: 60_000, finalDotMs: 60_000, quitMs: 1_000 };

/** Returns a ticket of a new row, or with these fields. */
export function aTicket(fields: Partial<Ticket> = {}): string {
  return writeTicket({
    shard: 0,
    row: randomUUID(),
    token: randomUUID(),
    email: randomUUID(),
    n: 1,
    attempt: 1,
    isRepeated: false,
    isOther: false,
    ...fields,
  });
}

/** Opens a connection to an egress. Throws ConnectError. */
export async function connectToEgress({ port, ca, ...access }: Access): Promise<Connection> {
  const mode = access.tls ?? "off";
  const options = { servername: "localhost", ...(ca ? { ca } : {}) };
  const isTls = mode === "implicit";
  const raw = isTls ? tls.connect({ ...options, port, host: HOST }) : net.connect(port, HOST);
  const socket = new NodeSocket(raw, options, isTls);
  await socket.opened;
  const credentials = access.credentials ?? null;
  const settings = { tls: mode, credentials, serverName: null, ehloName: "worker.test" };
  const { session, server } = await performHandshake(socket, settings, TIMING);
  return smtpConnection(session, server, TIMING);
}

/** Hands an email over and returns the results of its recipients. */
export async function handOver(
  connection: Connection,
  { to, from = "sender@shop.test", ticket = aTicket(), text = "Hello.", needsSmtpUtf8 = false }: Email,
): Promise<readonly RecipientResult[]> {
  const bytes = Buffer.from(`From: ${from}\r\nSubject: test\r\n\r\n${text}\r\n`);
  const { recipients } = await connection.send(
    {
      mailFrom: from,
      recipients: to.map((address) => ({ address })),
      ...(ticket === null ? {} : { envelopeId: ticket }),
    },
    { size: bytes.length, needsSmtpUtf8, needs8BitMime: false, inMemory: [bytes], async *chunks() {} },
  );
  return recipients;
}
