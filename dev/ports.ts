import net from "node:net";
import type { Ports } from "./layout.ts";
import { HOST, portsFrom } from "./layout.ts";

/** Returns the ports of a service that another process listens on. Throws when this process may not listen on one of them. */
export async function findTakenPorts(ports: Ports): Promise<number[]> {
  const wanted = Object.values<number>({ ...ports });
  const free = await Promise.all(wanted.map(isFree));
  return wanted.filter((_, index) => !free[index]);
}

/** Returns a port that is free together with the next six. Throws when none is found. */
export async function findFreePort(from: number): Promise<number> {
  for (let api = from; api < from + 1_000; api += 10) {
    const taken = await findTakenPorts(portsFrom(api));
    if (taken.length === 0) return api;
  }
  throw new Error(`No eight consecutive free ports found between ${from} and ${from + 1_000}.`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once("error", ({ code }: NodeJS.ErrnoException) => {
      if (code !== "EACCES") return resolve(false);
      reject(
        new Error(
          `Port ${port} is free, but this user may not listen on it: ports below 1024 need the rights of root. ` +
            "To use other ports: PORT=9000 npm start",
        ),
      );
    });
    server.listen({ port, host: HOST, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
