/** Runs the egress in a process of its own. */
import { spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { createInterface } from "node:readline";
import { ROOT } from "../../../../bench/host/bundle.ts";

interface LogLine {
  event: string;
  ports?: number[];
  health?: number | null;
  error?: string;
}

export interface EgressProcess {
  pid: number;
  ports: number[];
  healthPort: number;
  /** Resolves with the next line of the log with this event. */
  logged(event: string): Promise<unknown>;
  signal(name: NodeJS.Signals): void;
  /** Resolves with the exit code; null after a signal. */
  exited: Promise<number | null>;
}

/** Starts the egress with these variables on 127.0.0.1. Throws when it exits before it listens. */
export async function startEgressProcess(variables: Record<string, string>): Promise<EgressProcess> {
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", "smtp-egress/main.ts"], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, EGRESS_NAME: "out.egress.test", EGRESS_HOST: "127.0.0.1", HEALTH_PORT: "0", ...variables },
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
    ports: started.ports ?? [],
    healthPort: started.health ?? 0,
    logged,
    signal: (name) => void child.kill(name),
    exited,
  };
}
