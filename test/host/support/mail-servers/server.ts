/** Runs a mail server of Debian that was unpacked by unpack.sh. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import net from "node:net";
import path from "node:path";
import { eventually } from "../gateway-rig.ts";

/** A server with TLS for these domains, which passes everything on to a port of 127.0.0.1 without TLS. */
export interface ServerPlan {
  /** Host name. */
  name: string;
  domains: readonly string[];
  address: string;
  port: number;
  relayPort: number;
  keyFile: string;
  certificateFile: string;
  /** A folder of its own, below one that all users may read. */
  folder: string;
}

export interface RunningServer {
  version: string;
  stop(): Promise<void>;
}

/** Size limit of messages. */
export const MAX_MESSAGE = "60M";
const ROOT = process.env.MAIL_SERVERS || "/opt/mail-servers";

/** Returns the path of a file of an unpacked server. */
export const unpacked = (...names: string[]) => path.join(ROOT, ...names);

/** Returns why an unpacked server cannot be run, or null. With REQUIRE_TOOLS=1 it throws instead. */
export function serverUnavailable(name: string, program: string): string | null {
  const reason = !existsSync(program)
    ? `${program} is missing; as root on Debian: sh test/host/support/mail-servers/unpack.sh`
    : process.getuid?.() !== 0
      ? `${name} starts as root only`
      : null;
  if (reason !== null && process.env.REQUIRE_TOOLS === "1") throw new Error(`REQUIRE_TOOLS: ${reason}`);
  if (reason !== null) console.warn(`SKIPPED, ${reason}: ${name} was not tested`);
  return reason;
}

/** Returns the first version number that a program prints. */
export function versionOf(command: string, args: readonly string[]): string {
  const { stdout, stderr } = spawnSync(command, args, { encoding: "utf8" });
  return /\d+\.\d+[.\dp]*/.exec(`${stdout}${stderr}`)?.[0] ?? "";
}

/** Starts a program in the foreground and waits until it listens. Throws with its output when it does not. */
export async function startServer(
  command: string,
  args: string[],
  { address, port }: Pick<ServerPlan, "address" | "port">,
): Promise<ChildProcess> {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], detached: true });
  const output: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => output.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => output.push(chunk));
  try {
    await eventually(async () => {
      if (child.exitCode !== null) throw new Error(`${command} ended with ${child.exitCode}`);
      const socket = net.connect(port, address);
      const isOpen = await once(socket, "connect").then(
        () => true,
        () => undefined,
      );
      socket.destroy();
      return isOpen;
    });
    return child;
  } catch (error) {
    await stopServer(child);
    throw new Error(`${error}\n${Buffer.concat(output).toString()}`);
  }
}

/** Ends a server with all of its processes. */
export async function stopServer(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.pid === undefined) return;
  const exited = once(child, "exit");
  process.kill(-child.pid, "SIGTERM");
  await exited;
}
