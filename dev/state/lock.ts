import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import net from "node:net";
import os from "node:os";
import path from "node:path";

const ANSWER_MS = 2_000;

/** Who holds a state directory. */
export interface Holder {
  pid: number;
  apiPort: number;
}

/**
 * Takes the state directory for this process, or says who has it. The lock is a listening socket, so
 * the kernel gives it back when its process ends, kill -9 included: there is no stale lock.
 */
export async function lockState(stateDir: string, me: Holder): Promise<{ holder: Holder | null }> {
  const server = net.createServer((socket) => {
    socket.on("error", () => {});
    socket.end(JSON.stringify(me));
  });
  if (await listens(server, address(stateDir))) return { holder: null };
  const holder = await findHolder(stateDir);
  if (holder) return { holder };
  // Only where the address is a file: one left behind by a process that was killed.
  await rm(address(stateDir), { force: true }).catch(() => {});
  if (await listens(server, address(stateDir))) return { holder: null };
  return { holder: { pid: 0, apiPort: 0 } };
}

/** The process that holds the state directory now, or null. */
export function findHolder(stateDir: string): Promise<Holder | null> {
  return new Promise((resolve) => {
    const socket = net.connect({ path: address(stateDir) });
    let text = "";
    socket.setTimeout(ANSWER_MS, () => socket.destroy(new Error("no answer")));
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.on("error", (error: NodeJS.ErrnoException) => {
      resolve(error.code === undefined ? { pid: 0, apiPort: 0 } : null);
    });
    socket.on("end", () => resolve(text ? JSON.parse(text) : null));
  });
}

function listens(server: net.Server, at: string): Promise<boolean> {
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

/** Linux has socket names outside the file system; elsewhere a file in the temporary directory. */
function address(stateDir: string): string {
  const name = `email-delivery-${createHash("sha256").update(stateDir).digest("hex").slice(0, 32)}`;
  return process.platform === "linux" ? `\0${name}` : path.join(os.tmpdir(), `${name}.sock`);
}
