/** The HTTP door on loopback by which tests in workerd start scripted SMTP servers and read what they saw. */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type RealServers, startRealServers } from "./real-smtp.ts";
import { ScriptedServer } from "./scripted-smtp.ts";
import type { Script } from "./smtp-script.ts";
import { type ServerKeys, serverKeys } from "./throwaway-ca.ts";

/** Starts everything SMTP that tests talk to. Returns ports by name, and what ends it all. */
export async function startSmtpServers(): Promise<{ ports: { [name: string]: number }; stop: () => void }> {
  const keys = serverKeys();
  const real = await startRealServers(keys);
  const scripted = new Map<string, ScriptedServer>();
  const control = createServer((request, response) => {
    answer(request, response, { keys, real, scripted }).catch((error) => {
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

interface House {
  keys: ServerKeys;
  real: RealServers;
  scripted: Map<string, ScriptedServer>;
}

/** `POST /scripted`, `GET|DELETE /scripted/:port/:what`, `GET /real/:name`. */
async function answer(request: IncomingMessage, response: ServerResponse, house: House): Promise<void> {
  const [, kind = "", id = "", what = ""] = (request.url ?? "").split("/");
  const send = (body: unknown) =>
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  if (kind === "real") return void send(house.real.messages(id));
  if (request.method === "POST") {
    const { script, certificate } = JSON.parse(await text(request)) as {
      script: Script;
      certificate: keyof ServerKeys;
    };
    const server = new ScriptedServer(script, house.keys[certificate]);
    const port = await server.listen();
    house.scripted.set(String(port), server);
    return void send({ port });
  }
  const server = house.scripted.get(id);
  if (!server) return void response.writeHead(404).end();
  if (request.method === "DELETE") {
    server.close();
    house.scripted.delete(id);
    return void send({});
  }
  send(what === "transcript" ? server.transcript : what === "messages" ? server.messages : server.counters);
}

async function text(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString("utf8");
}
