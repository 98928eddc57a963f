import type { Resolver } from "node:dns/promises";
import { once } from "node:events";
import { connect, isIP, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { addressesOf, find } from "./dns.ts";
import { type Finding, ok, unchecked, wrong } from "./finding.ts";

const TIMEOUT_MS = 15_000;
const SUBJECT = "port 25";
const TO = "--to gmail.com";
const OPEN_IT =
  "many providers close outgoing port 25 until they are asked: ask yours to open it, and let the firewall of the machine pass it.";

/** A host and a port to which the egress should be able to connect. */
export interface Place {
  host: string;
  port: number;
}

/** The host of the egress: its EHLO name, and the source address when it is known. */
interface Host {
  name: string;
  address?: string;
}

/** Checks port 25 at the best MX host of a domain, or at the domain itself without MX records. */
export async function checkMx(resolver: Resolver, domain: string | undefined, host: Host): Promise<Finding> {
  if (!domain)
    return unchecked(SUBJECT, "no mail server was named.", `name a domain whose mail server is tried: ${TO}.`);
  const [best] = (await find(resolver.resolveMx(domain))).sort((a, b) => a.priority - b.priority);
  // The name of a null MX is empty (RFC 7505).
  if (best?.exchange === "")
    return unchecked(SUBJECT, `${domain} takes no mail, so it has no mail server.`, `name another domain: ${TO}.`);
  return checkPort(resolver, { host: best?.exchange ?? domain, port: 25 }, host);
}

/** Checks that a mail server greets a connection from this machine, from `address` when the machine has it. */
export async function checkPort(resolver: Resolver, place: Place, { name, address }: Host): Promise<Finding> {
  const where = `${place.host}:${place.port}`;
  const [host] = isIP(place.host) === 0 ? await addressesOf(resolver, place.host) : [place.host];
  if (host === undefined) return wrong(SUBJECT, `${where} has no address.`, "name another mail server.");
  const localAddress = isOurs(address) && isIP(address ?? "") === isIP(host) ? { localAddress: address } : {};
  const socket = connect({ host, port: place.port, ...localAddress, timeout: TIMEOUT_MS });
  try {
    await withTimeout(socket, once(socket, "connect"));
    const greeting = await withTimeout(socket, readLine(socket));
    socket.end(`EHLO ${name}\r\nQUIT\r\n`);
    if (greeting.startsWith("220")) return ok(SUBJECT, `${where} greets this machine.`);
    return wrong(SUBJECT, `${where} answers "${greeting}".`, "see what the server says about this address.");
  } catch (error) {
    return wrong(SUBJECT, `${where} cannot be reached: ${(error as Error).message}.`, OPEN_IT);
  } finally {
    socket.destroy();
  }
}

/** Returns whether an interface of this machine has the address. Behind NAT none has it. */
const isOurs = (address?: string) =>
  Object.values(networkInterfaces()).some((found) => found?.some((other) => other.address === address));

async function withTimeout<Result>(socket: Socket, work: Promise<Result>): Promise<Result> {
  const seconds = TIMEOUT_MS / 1_000;
  const silence = once(socket, "timeout").then(() =>
    Promise.reject(new Error(`no response within ${seconds} seconds`)),
  );
  const ended = once(socket, "close").then(() => Promise.reject(new Error("the connection was closed")));
  for (const waiting of [silence, ended]) waiting.catch(() => {});
  return Promise.race([work, silence, ended]);
}

/** Returns the first line that the server sends, of at most 200 printable characters. */
async function readLine(socket: Socket): Promise<string> {
  let text = "";
  for (;;) {
    const [chunk] = (await once(socket, "data")) as [Buffer];
    text += chunk.toString("latin1");
    if (text.includes("\n") || text.length > 2_000)
      return (text.split("\n")[0] ?? "").replace(/[^\x20-\x7e]/g, "").slice(0, 200);
  }
}
