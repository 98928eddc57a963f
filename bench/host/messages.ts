/** What a host process is started with, and what it and its parent say to each other. */
import type { Bundle } from "./bundle.ts";

/** The process's only argument, as JSON. */
export interface HostProcessOptions {
  bundle: Bundle;
  stateDir: string;
  port: number;
  vars: Record<string, string>;
  /** See HostOptions. */
  queueSeconds: number | null;
}

/** Parent to host. Each is answered by a Reply with its id. */
export type Request = { id: number } & Command;

export type Command =
  | { ask: "sql"; sql: string; params: unknown[] }
  | { ask: "seed"; input: unknown }
  | { ask: "stop" };

/** Host to parent. */
export type Reply = { ready: true } | { id: number; result: unknown } | { id: number; error: string };
