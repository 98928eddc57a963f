import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import net from "node:net";
import os from "node:os";
import path from "node:path";

const RESPONSE_MS = 2_000;

/** The process that has locked a state directory. */
export interface Holder {
  pid: number;
  apiPort: number;
}

/**
 * Locks the state directory for this process, or returns the process that has locked it. The lock is a listening
 * socket: the kernel closes it when the process exits, also after a SIGKILL, so no lock is ever stale.
 */
export async function lockState(stateDir: string, self: Holder): Promise<{ holder: Holder | null }> {
  const server = net.createServer((socket) => {
    socket.on("error", () => {});
    socket.end(JSON.stringify(self));
  });
  if (await tryListen(server, socketPath(stateDir))) return { holder: null };
  const holder = await findHolder(stateDir);
  if (holder) return { holder };
  // On systems where the socket is a file, a killed process leaves the file behind.
  await rm(socketPath(stateDir), { force: true }).catch(() => {});
  if (await tryListen(server, socketPath(stateDir))) return { holder: null };
  return { holder: { pid: 0, apiPort: 0 } };
}

/** Returns the process that has locked the state directory, or null. */
export function findHolder(stateDir: string): Promise<Holder | null> {
  return new Promise((resolve) => {
    const socket = net.connect({ path: socketPath(stateDir) });
    let text = "";
    socket.setTimeout(RESPONSE_MS, () => socket.destroy(new Error("no response")));
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.on("error", (error: NodeJS.ErrnoException) => {
      resolve(error.code === undefined ? { pid: 0, apiPort: 0 } : null);
    });
    socket.on("end", () => resolve(text ? JSON.parse(text) : null));
  });
}

function tryListen(server: net.Server, at: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") resolve(false);
      else reject(error);
    });
    server.listen({ path: at }, () => {
      server.unref();
      resolve(true);
    });
  });
}

/** Returns the socket's path: an abstract name on Linux (unix(7)), a file in the temporary directory elsewhere. */
function socketPath(stateDir: string): string {
  const name = `email-delivery-${createHash("sha256").update(stateDir).digest("hex").slice(0, 32)}`;
  return process.platform === "linux" ? `\0${name}` : path.join(os.tmpdir(), `${name}.sock`);
}
