/** Runs the SMTP egress in a process of its own, so that its CPU time and memory are measured apart. */
import { spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { createInterface } from "node:readline";
import { ROOT } from "../host/bundle.ts";

/** A line of the egress's log. */
export interface LogLine {
  event: string;
  [field: string]: unknown;
}

export interface EgressProcess {
  pid: number;
  /** Ports on which it listens, in the order of the configuration. */
  ports: number[];
  healthPort: number;
  /** Resolves with the next line of the log with this event. */
  logged(event: string): Promise<LogLine>;
  signal(name: NodeJS.Signals): void;
  /** Resolves with the exit code; null after a signal. */
  exited: Promise<number | null>;
  /** Stops it with SIGTERM. */
  stop(): Promise<void>;
}

/** Starts the egress with these variables, on a free port without TLS and login. Throws when it exits before it listens. */
export async function startEgressProcess(variables: Record<string, string>): Promise<EgressProcess> {
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", "smtp-egress/main.ts"], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      ...process.env,
      ...{ EGRESS_NAME: "egress.sender.test", EGRESS_HOST: "127.0.0.1", EGRESS_INSECURE_PORTS: "0", HEALTH_PORT: "0" },
      ...variables,
    },
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
    logged("failed").then(({ error }) => Promise.reject(new Error(`the egress failed: ${error}`))),
    exited.then((code) => Promise.reject(new Error(`the egress exited with ${code}`))),
  ]);
  return {
    pid: child.pid ?? 0,
    ports: started.ports as number[],
    healthPort: started.health as number,
    logged,
    signal: (name) => void child.kill(name),
    exited,
    async stop() {
      child.kill("SIGTERM");
      await exited;
    },
  };
}
