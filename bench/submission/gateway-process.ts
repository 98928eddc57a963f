/** Runs the SMTP gateway in a process of its own, so that its CPU time and memory are measured apart. */
import { spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { createInterface } from "node:readline";
import { ROOT } from "../host/bundle.ts";

/** A line of the gateway's log. */
export interface LogLine {
  event: string;
  submission?: number[];
  mx?: number[];
  [field: string]: unknown;
}

export interface GatewayProcess {
  pid: number;
  /** Port of submission over implicit TLS, of submission with STARTTLS and of MX; 0 without one. */
  ports: { implicit: number; starttls: number; mx: number };
  /** Resolves with the next line of the log with this event. */
  logged(event: string): Promise<LogLine>;
  signal(name: NodeJS.Signals): void;
  /** Resolves with the exit code; null after a signal. */
  exited: Promise<number | null>;
  /** Stops it with SIGTERM. */
  stop(): Promise<void>;
}

/**
 * Starts the gateway with these variables, on free ports: submission over implicit TLS, and submission with STARTTLS and MX
 * when `hasAllRoles`. Throws when it exits before it listens.
 */
export async function startGatewayProcess(
  variables: Record<string, string>,
  { hasAllRoles = false } = {},
): Promise<GatewayProcess> {
  const roles = { SUBMISSION_TLS_PORTS: "0", ...(hasAllRoles ? { SUBMISSION_PORTS: "0", MX_PORTS: "0" } : {}) };
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", "smtp-gateway/main.ts"], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, GATEWAY_NAME: "localhost", GATEWAY_HOST: "127.0.0.1", ...roles, ...variables },
  });
  const exited = once(child, "exit").then(([code]) => code as number | null);
  const log = new EventEmitter();
  createInterface({ input: child.stdout }).on("line", (text) => {
    const line = JSON.parse(text) as LogLine;
    log.emit(line.event, line);
  });
  const logged = (event: string) => once(log, event).then(([line]) => line as LogLine);
  const started = await Promise.race([
    logged("started"),
    logged("failed").then(({ error }) => Promise.reject(new Error(`the gateway failed: ${error}`))),
    exited.then((code) => Promise.reject(new Error(`the gateway exited with ${code}`))),
  ]);
  const [first = 0, second = 0] = started.submission ?? [];
  const [starttls, implicit] = hasAllRoles ? [first, second] : [0, first];
  return {
    pid: child.pid ?? 0,
    ports: { implicit, starttls, mx: started.mx?.[0] ?? 0 },
    logged,
    signal: (name) => void child.kill(name),
    exited,
    async stop() {
      child.kill("SIGTERM");
      await exited;
    },
  };
}
