import { createSocket } from "node:dgram";

/** A host of the public internet. Nothing is sent to it. */
const OUTSIDE = { address: "192.0.2.1", port: 25 };
const LOOPBACK = "127.0.0.1";

/** Returns the address that the system chooses for connections to the outside, or that of loopback when it has no such route. */
export function findSourceAddress(): Promise<string> {
  return new Promise((resolve) => {
    const socket = createSocket("udp4");
    const end = (address: string) => {
      socket.close();
      resolve(address);
    };
    socket.once("error", () => end(LOOPBACK));
    socket.connect(OUTSIDE.port, OUTSIDE.address, () => end(socket.address().address));
  });
}
