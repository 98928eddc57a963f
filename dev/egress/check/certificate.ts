import { once } from "node:events";
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import type { parseEgressUrl } from "../../../src/mail/smtp/egress-url.ts";
import { type Finding, ok, unchecked, wrong } from "./finding.ts";

type Egress = ReturnType<typeof parseEgressUrl>;

const TIMEOUT_MS = 10_000;
const DAY_MS = 86_400_000;
/** A certificate that ends sooner was not renewed: certbot renews 30 days before the end. */
const LEAST_DAYS = 14;

/** Checks the certificate that the egress of an EGRESS_URL shows to the Worker. */
export async function checkCertificate(egress: Egress, now: number): Promise<Finding> {
  const { host, port, tls } = egress;
  const subject = `certificate of ${host}:${port}`;
  if (tls === "off") return unchecked(subject, "EGRESS_URL turns TLS off.");
  const plain = connectTcp({ host, port });
  plain.setTimeout(TIMEOUT_MS, () => plain.destroy(new Error(`no response within ${TIMEOUT_MS / 1_000} seconds`)));
  const closed = once(plain, "close").then(() => Promise.reject(new Error("the connection was closed")));
  try {
    const socket = await Promise.race([openTls(plain, egress), closed]);
    return judgeCertificate(subject, socket, now);
  } catch (error) {
    const text = `it could not be read: ${(error as Error).message}.`;
    return wrong(subject, text, "start the egress, and let the firewall pass its port.");
  } finally {
    plain.destroy();
  }
}

/** Returns the connection with TLS, whatever certificate it has. */
async function openTls(plain: Socket, { host, tls, serverName }: Egress): Promise<TLSSocket> {
  await once(plain, "connect");
  if (tls === "starttls") await startTls(plain);
  // SNI has no addresses (RFC 6066 3); the certificate is compared with the host in any case.
  const servername = serverName ?? (isIP(host) === 0 ? host : "");
  const socket = connectTls({ socket: plain, host, servername, rejectUnauthorized: false });
  await once(socket, "secureConnect");
  return socket;
}

/** Returns the finding about the certificate of a connection. */
function judgeCertificate(subject: string, socket: TLSSocket, now: number): Finding {
  if (!socket.authorized)
    return wrong(
      subject,
      `it is not accepted: ${String(socket.authorizationError)}.`,
      "get one for this name (certbot certonly --standalone), and give the egress fullchain.pem, which has the certificates between.",
    );
  const end = Date.parse(socket.getPeerCertificate().valid_to);
  const days = Math.floor((end - now) / DAY_MS);
  if (days < LEAST_DAYS)
    return wrong(
      subject,
      `it ends in ${days} days.`,
      "renew it (certbot renew), and restart the egress after each renewal.",
    );
  return ok(subject, `it is accepted, and valid until ${new Date(end).toISOString().slice(0, 10)}.`);
}

/** Asks a server to begin TLS (RFC 3207). */
async function startTls(socket: Socket): Promise<void> {
  await readReply(socket);
  socket.write("EHLO check.invalid\r\n");
  await readReply(socket);
  socket.write("STARTTLS\r\n");
  const reply = await readReply(socket);
  if (!reply.startsWith("220")) throw new Error(`STARTTLS is refused: ${reply.slice(0, 200)}`);
}

async function readReply(socket: Socket): Promise<string> {
  let text = "";
  while (!/^\d{3}(?: .*)?\r?\n$/m.test(text)) {
    const [chunk] = (await once(socket, "data")) as [Buffer];
    text += chunk.toString("latin1");
    if (text.length > 10_000) throw new Error("it does not speak SMTP");
  }
  return text.trim();
}
