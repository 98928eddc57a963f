import { spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { createInterface } from "node:readline";
import { ROOT } from "../hosts/bundle.ts";

/** A line of a program's log. */
export interface LogLine {
  event: string;
  [field: string]: unknown;
}

/** A Node program of this repository in a process of its own, so that its CPU time and memory are measured apart. */
export interface Program {
  pid: number;
  /** Resolves with the next line of the log with this event. */
  logged(event: string): Promise<LogLine>;
  /** Calls a listener with each further line of the log. */
  watchLog(listener: (line: LogLine) => void): void;
  signal(name: NodeJS.Signals): void;
  /** Resolves with the exit code; null after a signal. */
  exited: Promise<number | null>;
  /** Stops it with SIGTERM. */
  stop(): Promise<void>;
}

/** Starts a program with these variables. Returns it with its log line `started`. Throws when it exits before that. */
export async function startProgram(
  main: string,
  variables: Record<string, string>,
): Promise<{ program: Program; started: LogLine }> {
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", main], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...variables },
  });
  const exited = once(child, "exit").then(([code]) => code as number | null);
  const log = new EventEmitter();
  const watchers = new Set<(line: LogLine) => void>();
  createInterface({ input: child.stdout }).on("line", (text) => {
    const line = JSON.parse(text) as LogLine;
    log.emit(line.event, line);
    for (const watch of watchers) watch(line);
  });
  const logged = (event: string) => once(log, event).then(([line]) => line as LogLine);
  const started = await Promise.race([
    logged("started"),
    logged("failed").then(({ error }) => Promise.reject(new Error(`${main} failed: ${error}`))),
    exited.then((code) => Promise.reject(new Error(`${main} exited with ${code}`))),
  ]);
  const program = {
    pid: child.pid ?? 0,
    logged,
    watchLog: (listener: (line: LogLine) => void) => void watchers.add(listener),
    signal: (name: NodeJS.Signals) => void child.kill(name),
    exited,
    async stop() {
      child.kill("SIGTERM");
      await exited;
    },
  };
  return { program, started };
}
