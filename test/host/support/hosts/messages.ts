/** Options of a host process, and the messages between it and its parent. */
import type { Bundle } from "./bundle.ts";

/** The only argument of the process, as JSON. */
export interface HostProcessOptions {
  bundle: Bundle;
  stateDir: string;
  port: number;
  vars: Record<string, string>;
  /** See HostOptions. */
  queueSeconds: number | null;
}

/** Message from parent to host. The host sends one Reply with the same id. */
export type Request = { id: number } & Command;

export type Command =
  | { command: "sql"; sql: string; params: unknown[] }
  | { command: "seed"; input: unknown }
  | { command: "stop" };

/** Message from host to parent. */
export type Reply = { ready: true } | { id: number; result: unknown } | { id: number; error: string };
