import type { Socket } from "node:net";

/** Lines of a greeting that never ends: each says that another follows. */
const LINE = "220-please wait\r\n";

/** Sends a greeting one byte at a time until the client closes. */
export function tarpit(socket: Socket, msPerByte: number): void {
  let at = 0;
  const timer = setInterval(() => socket.write(LINE[at++ % LINE.length] ?? ""), msPerByte);
  socket.on("close", () => clearInterval(timer));
  socket.on("error", () => socket.destroy());
  // Reads and drops what the client sends, so that its end is seen.
  socket.resume();
}
