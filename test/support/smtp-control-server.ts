/** HTTP control endpoint on loopback: tests in workerd start scripted SMTP servers and read their transcripts. */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type RealServers, startRealServers } from "./real-smtp.ts";
import { ScriptedServer } from "./scripted-smtp.ts";
import type { Script } from "./smtp-script.ts";
import { type ServerKeys, serverKeys } from "./throwaway-ca.ts";

/** Starts the SMTP servers of the tests. Returns their ports by name, and a function that stops them. */
export async function startSmtpServers(): Promise<{ ports: { [name: string]: number }; stop: () => void }> {
  const keys = serverKeys();
  const real = await startRealServers(keys);
  const scripted = new Map<string, ScriptedServer>();
  const control = createServer((request, response) => {
    handleRequest(request, response, { keys, real, scripted }).catch((error) => {
      response.writeHead(500).end(String(error));
    });
  });
  await new Promise<void>((resolve) => control.listen(0, "127.0.0.1", resolve));
  const stop = () => {
    for (const server of scripted.values()) server.close();
    real.close();
    control.close();
    control.closeAllConnections();
  };
  return { ports: { ...real.ports, smtpControl: (control.address() as AddressInfo).port }, stop };
}

interface ServerState {
  keys: ServerKeys;
  real: RealServers;
  scripted: Map<string, ScriptedServer>;
}

/** Serves `POST /scripted`, `GET|DELETE /scripted/:port/:what` and `GET /real/:name`. */
async function handleRequest(request: IncomingMessage, response: ServerResponse, state: ServerState): Promise<void> {
  const [, kind = "", id = "", what = ""] = (request.url ?? "").split("/");
  const send = (body: unknown) =>
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  if (kind === "real") return void send(state.real.messages(id));
  if (request.method === "POST") {
    const {
      script,
      certificate,
      port: listenOn,
    } = JSON.parse(await text(request)) as {
      script: Script;
      certificate: keyof ServerKeys;
      port: number;
    };
    const server = new ScriptedServer(script, state.keys[certificate]);
    const port = await server.listen(listenOn);
    state.scripted.set(String(port), server);
    return void send({ port });
  }
  const server = state.scripted.get(id);
  if (!server) return void response.writeHead(404).end();
  if (request.method === "DELETE") {
    server.close();
    state.scripted.delete(id);
    return void send({});
  }
  send(what === "transcript" ? server.transcript : what === "messages" ? server.messages : server.counters);
}

async function text(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString("utf8");
}
