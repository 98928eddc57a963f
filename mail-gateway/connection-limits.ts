import type { Clock } from "./clock.ts";
import { Refusal } from "./errors.ts";

const MINUTE_MS = 60_000;

/** Counts the connections of each address: those that are open, and those of the last minute. */
export class ConnectionLimits {
  readonly #open = new Map<string, number>();
  #recent = new Map<string, number>();
  #minute = 0;
  readonly #perIp: number;
  readonly #perMinute: number;
  readonly #clock: Clock;

  constructor(
    { connectionsPerIp, connectionsPerMinute }: { connectionsPerIp: number; connectionsPerMinute: number },
    clock: Clock,
  ) {
    this.#perIp = connectionsPerIp;
    this.#perMinute = connectionsPerMinute;
    this.#clock = clock;
  }

  /** Counts a connection. Throws Refusal 421 beyond a limit. Each call needs a `close`, also after a refusal. */
  open(ip: string): void {
    const minute = Math.floor(this.#clock.now() / MINUTE_MS);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#recent = new Map();
    }
    const open = (this.#open.get(ip) ?? 0) + 1;
    const recent = (this.#recent.get(ip) ?? 0) + 1;
    this.#open.set(ip, open);
    this.#recent.set(ip, recent);
    if (open > this.#perIp) throw new Refusal("421 4.7.0 Too many connections from your address");
    if (recent > this.#perMinute) throw new Refusal("421 4.7.0 Too many connections from your address in this minute");
  }

  /** Ends a connection that was counted. */
  close(ip: string): void {
    const left = (this.#open.get(ip) ?? 0) - 1;
    if (left > 0) this.#open.set(ip, left);
    else this.#open.delete(ip);
  }
}
