/** A server that speaks the protocol of rspamd's normal worker: `POST /checkv2` with the message, a response in JSON. */
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";

const ENDLESS_BYTES = 100_000;

export class RspamdServer {
  /** The action to return, or an error. */
  response: string = "no action";
  /** The requests that were read to their end; bodies as Latin-1. */
  readonly requests: { headers: http.IncomingHttpHeaders; body: string }[] = [];
  readonly #server = http.createServer((request, response) => void this.#handle(request, response));

  static async start(): Promise<RspamdServer> {
    const rspamd = new RspamdServer();
    rspamd.#server.listen(0, "127.0.0.1");
    await once(rspamd.#server, "listening");
    return rspamd;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #handle(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    if (this.response === "down") return void request.socket.destroy();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    this.requests.push({ headers: request.headers, body: Buffer.concat(chunks).toString("latin1") });
    if (request.url !== "/checkv2" || request.method !== "POST") return void response.writeHead(404).end();
    const result = { is_skipped: false, score: 1.5, required_score: 15, symbols: {}, messages: {} };
    switch (this.response) {
      case "silence":
        return;
      case "500":
        return void response.writeHead(500).end('{"error":"Cannot scan"}');
      case "no JSON":
        return void response.end("<html>");
      case "no action field":
        return void response.end(JSON.stringify(result));
      case "endless":
        return this.#writeEndlessly(response);
      default:
        return void response.end(JSON.stringify({ ...result, action: this.response }));
    }
  }

  #writeEndlessly(response: http.ServerResponse): void {
    response.on("error", () => {});
    const write = () => {
      while (!response.destroyed && response.write("x".repeat(ENDLESS_BYTES)));
      if (!response.destroyed) response.once("drain", write);
    };
    write();
  }
}
