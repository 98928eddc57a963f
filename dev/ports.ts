import net from "node:net";
import type { Ports } from "./layout.ts";
import { HOST } from "./layout.ts";

/** Returns the ports of a service that another process listens on. */
export async function findTakenPorts(ports: Ports): Promise<number[]> {
  const wanted = [ports.api, ports.smtp, ports.captured_mail, ports.dns];
  const free = await Promise.all(wanted.map(isFree));
  return wanted.filter((_, index) => !free[index]);
}

/** Returns a port that is free together with the next three. Throws when none is found. */
export async function findFreePort(from: number): Promise<number> {
  for (let api = from; api < from + 1_000; api += 10) {
    const taken = await findTakenPorts({ api, smtp: api + 1, captured_mail: api + 2, dns: api + 3 });
    if (taken.length === 0) return api;
  }
  throw new Error(`No four consecutive free ports found between ${from} and ${from + 1_000}.`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once("error", () => resolve(false));
    server.listen({ port, host: HOST, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
