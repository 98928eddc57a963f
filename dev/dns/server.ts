import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { isLocalHost } from "../host-header.ts";
import { decodeQuery, encodeResponse } from "./messages.ts";
import type { Answer } from "./record.ts";

export type Resolve = (name: string, type: string) => Promise<Answer>;

const MESSAGE = "application/dns-message";

/** Serves DNS over HTTPS (RFC 8484) by GET and POST at `/dns-query`. Passes requests for other paths to `fallback`. */
export async function startDns(
  port: number,
  resolve: Resolve,
  fallback: (request: IncomingMessage, response: ServerResponse) => void = notFound,
): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    if (!isLocalHost(request.headers.host)) return void response.writeHead(421).end();
    if (request.url?.split("?")[0] !== "/dns-query") return fallback(request, response);
    answer(request, response, resolve).catch(() => response.writeHead(500).end());
  });
  await new Promise<void>((done, reject) => server.once("error", reject).listen(port, "127.0.0.1", done));
  return { port: (server.address() as AddressInfo).port, close: () => close(server) };
}

async function answer(request: IncomingMessage, response: ServerResponse, resolve: Resolve) {
  const isPost = request.method === "POST";
  if (!isPost && request.method !== "GET") return void response.writeHead(405, { Allow: "GET, POST" }).end();
  if (isPost && request.headers["content-type"] !== MESSAGE) return void response.writeHead(415).end();
  const query = decodeQuery(isPost ? await readBody(request) : queryParameter(request));
  const [question] = query?.questions ?? [];
  if (!question) return void response.writeHead(400).end();
  const found = await resolve(question.name.toLowerCase(), question.type);
  if (found === "timeout") return;
  if (found === "http-error") return void response.writeHead(500).end();
  const bytes = found === "garbage" ? Buffer.from("no DNS message") : encodeResponse(query?.id ?? 0, question, found);
  response.writeHead(200, { "Content-Type": MESSAGE, "Cache-Control": "no-store" }).end(bytes);
}

function queryParameter({ url = "" }: IncomingMessage): Buffer {
  return Buffer.from(new URLSearchParams(url.split("?")[1]).get("dns") ?? "", "base64url");
}

/** Reads the body of a request. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function notFound(_: IncomingMessage, response: ServerResponse) {
  response.writeHead(404).end();
}

function close(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
