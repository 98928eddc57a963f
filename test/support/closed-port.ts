import { type SmtpServerHandle, scriptedServer, sinkServer } from "./smtp-control.ts";
import type { Script } from "./smtp-script.ts";

/** Returns a port of 127.0.0.1 that refuses connections until `open` starts a server on it. */
export async function closedPort() {
  const server = await sinkServer();
  await server.close();
  const open = (script: Script = {}) => scriptedServer(script, "local", server.port);
  return { url: `${server.url}&connections=1`, open };
}

/** Returns Message-IDs in the order in which the server received them. */
export async function receivedIds(server: SmtpServerHandle): Promise<string[]> {
  const messages = await server.messages();
  return messages.map(({ raw }) => /^Message-ID: <([^@]+)@/im.exec(new TextDecoder().decode(raw))?.[1] ?? "");
}
