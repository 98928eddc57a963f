/** An https address of a host on this machine, for commands that reach a deployment by its PUBLIC_URL. */
import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import tls from "node:tls";
import { createAuthority } from "./test-authority.ts";

export class HttpsFront {
  readonly #servers: net.Server[] = [];
  /** Environment variables with which Node reaches the host at its https address, and nothing else. */
  readonly env: Record<string, string>;

  private constructor(proxy: net.Server, server: tls.Server, authorityFile: string) {
    this.#servers = [proxy, server];
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    this.env = { NODE_USE_ENV_PROXY: "1", HTTPS_PROXY: url, NO_PROXY: "", NODE_EXTRA_CA_CERTS: authorityFile };
  }

  /** Serves https for `name` before the port of a host: a proxy that connects each request to it. */
  static async open(folder: string, name: string, port: number): Promise<HttpsFront> {
    const authority = await createAuthority(folder);
    const server = tls.createServer(await authority.certify(name), (socket) =>
      join(socket, net.connect(port, "127.0.0.1")),
    );
    const proxy = net.createServer((socket) => {
      socket.once("data", () => {
        socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
        join(socket, net.connect((server.address() as AddressInfo).port, "127.0.0.1"));
      });
      socket.on("error", () => {});
    });
    for (const one of [server, proxy]) await once(one.listen(0, "127.0.0.1"), "listening");
    return new HttpsFront(proxy, server, authority.file);
  }

  close(): void {
    for (const server of this.#servers) server.close();
  }
}

function join(a: net.Socket, b: net.Socket): void {
  a.pipe(b).pipe(a);
  for (const [one, other] of [
    [a, b],
    [b, a],
  ] as const) {
    one.on("error", () => other.destroy());
    one.on("close", () => other.destroy());
  }
}
