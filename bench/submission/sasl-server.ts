/** Speaks Dovecot's authentication protocol (version 1.2), by which Postfix checks a password without further programs. */
import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import type { Login } from "./load.ts";

const COOKIE = "0123456789abcdef0123456789abcdef";

/** Starts a server that accepts one login by PLAIN. Returns its port. */
export async function startSaslServer({ username, password }: Login): Promise<{ port: number; stop(): void }> {
  const server = net.createServer((socket) => {
    let received = "";
    socket.on("error", () => {});
    socket.on("data", (chunk: Buffer) => {
      received += chunk.toString("latin1");
      const lines = received.split("\n");
      received = lines.pop() ?? "";
      for (const line of lines) if (line.startsWith("AUTH\t")) socket.write(`${respond(line)}\n`);
    });
    socket.write(
      ["VERSION\t1\t2", "MECH\tPLAIN\tplaintext", "SPID\t1", "CUID\t1", `COOKIE\t${COOKIE}`, "DONE", ""].join("\n"),
    );
  });
  const respond = (line: string): string => {
    const [, id, , ...parameters] = line.split("\t");
    const given = parameters.find((parameter) => parameter.startsWith("resp="))?.slice("resp=".length);
    const expected = Buffer.from(`\0${username}\0${password}`).toString("base64");
    return given === expected ? `OK\t${id}\tuser=${username}` : `FAIL\t${id}\tuser=${username}`;
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { port: (server.address() as AddressInfo).port, stop: () => server.close() };
}
