import { createSocket } from "node:dgram";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { decodeQuery, encodeResponse } from "../../dns/messages.ts";
import { type Found, resolve } from "../../dns/resolve.ts";

const HOST = "127.0.0.1";
/** A longer response over UDP has only the mark that it is truncated, and the client asks again over TCP (RFC 1035 4.2.1). */
const UDP_BYTES = 1_232;
/** Two bytes before each message over TCP say its length (RFC 1035 4.2.2). */
const LENGTH_BYTES = 2;

/** Serves DNS over UDP and TCP on one port of 127.0.0.1; 0 picks a free one. `onQuestion` is called with each question. */
export async function startInternetDns(
  find: (name: string) => Found,
  { port = 0, onQuestion }: { port?: number; onQuestion?: (name: string, type: string) => void } = {},
): Promise<{ port: number; close(): Promise<void> }> {
  const answer = async (query: Buffer, limit: number): Promise<Buffer | null> => {
    const packet = decodeQuery(query);
    const [question] = packet?.questions ?? [];
    if (!packet || !question) return null;
    const name = question.name.toLowerCase();
    onQuestion?.(name, question.type);
    const found = await resolve(find, name, question.type);
    if (found === "timeout" || found === "http-error" || found === "garbage") return null;
    const response = encodeResponse(packet.id ?? 0, question, found);
    return response.length <= limit ? response : encodeResponse(packet.id ?? 0, question, "truncated");
  };
  const sockets = new Set<Socket>();
  const tcp = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    serveConnection(socket, (query) => answer(query, 65_535));
  });
  tcp.listen(port, HOST);
  await once(tcp, "listening");
  const at = (tcp.address() as AddressInfo).port;
  const udp = createSocket("udp4", (query, { port, address }) => {
    void answer(query, UDP_BYTES).then((response) => response && udp.send(response, port, address));
  });
  udp.bind(at, HOST);
  await once(udp, "listening");
  return {
    port: at,
    async close() {
      udp.close();
      for (const socket of sockets) socket.destroy();
      tcp.close();
      await once(tcp, "close");
    },
  };
}

function serveConnection(socket: Socket, answer: (query: Buffer) => Promise<Buffer | null>): void {
  let input = Buffer.alloc(0);
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk: Buffer) => {
    input = Buffer.concat([input, chunk]);
    while (input.length >= LENGTH_BYTES && input.length >= LENGTH_BYTES + input.readUInt16BE(0)) {
      const end = LENGTH_BYTES + input.readUInt16BE(0);
      const query = input.subarray(LENGTH_BYTES, end);
      input = input.subarray(end);
      void answer(query).then((response) => {
        if (!response || socket.destroyed) return;
        const length = Buffer.alloc(LENGTH_BYTES);
        length.writeUInt16BE(response.length);
        socket.write(Buffer.concat([length, response]));
      });
    }
  });
}
