import { createSocket, type SocketType } from "node:dgram";
import ipaddr from "ipaddr.js";

/** Addresses of a.root-servers.net. Nothing is sent to them: the system only chooses the route. */
const OUTSIDE: readonly { type: SocketType; address: string }[] = [
  { type: "udp4", address: "198.41.0.4" },
  { type: "udp6", address: "2001:503:ba3e::2:30" },
];
const PORT = 25;
/** Ranges of addresses that receivers do not see, because a router replaces them. */
const TRANSLATED = ["private", "carrierGradeNat", "uniqueLocal", "linkLocal", "loopback", "unspecified"];

/** Returns the addresses that receivers see when this machine connects to them, one of each IP version. Behind NAT it is not known. */
export async function outgoingAddresses(): Promise<string[]> {
  const found = await Promise.all(OUTSIDE.map(localAddress));
  return found.filter((address) => address !== null && isSeenOutside(address)) as string[];
}

/** Returns whether receivers see this address itself. */
export const isSeenOutside = (address: string): boolean => !TRANSLATED.includes(ipaddr.parse(address).range());

/** Returns the address that the system chooses for connections to an address, or null without a route. */
function localAddress({ type, address }: (typeof OUTSIDE)[number]): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = createSocket(type);
    const end = (found: string | null) => {
      socket.close();
      resolve(found);
    };
    socket.once("error", () => end(null));
    socket.connect(PORT, address, () => end(socket.address().address));
  });
}
