import { randomUUID } from "node:crypto";

/** Returns the names that the CNAME records of a name lead to. */
export type FindCname = (name: string) => Promise<string[]>;

export interface StoredHostname {
  id: string;
  hostname: string;
  status: string;
  certificate: string;
}

/** The custom hostnames of the zones of the stand-in, in memory. */
export class HostnameStore {
  readonly #zones = new Map<string, Map<string, StoredHostname>>();
  readonly #target: string;
  readonly #findCname: FindCname;

  constructor(target: string, findCname: FindCname) {
    this.#target = target;
    this.#findCname = findCname;
  }

  /** Creates a hostname; null: it exists, here or in another account. */
  create(zone: string, name: string): StoredHostname | null {
    const hostname = name.toLowerCase();
    if (hasLabel(hostname, "taken-") || this.list(zone, hostname).some((one) => one.hostname === hostname)) return null;
    const status = hasLabel(hostname, "blocked-") ? "blocked" : "pending";
    const certificate = hasLabel(hostname, "expired-") ? "validation_timed_out" : "pending_validation";
    const created = { id: randomUUID(), hostname, status, certificate };
    this.#of(zone).set(created.id, created);
    return created;
  }

  read(zone: string, id: string): StoredHostname | null {
    return this.#of(zone).get(id) ?? null;
  }

  /** Returns the hostnames that contain a text, as the API does. */
  list(zone: string, text: string): StoredHostname[] {
    return [...this.#of(zone).values()].filter(({ hostname }) => hostname.includes(text));
  }

  /** Validates a hostname, one step for each call. */
  async look(one: StoredHostname): Promise<StoredHostname> {
    if (one.status === "blocked" || one.certificate === "validation_timed_out") return one;
    const leadsHere = (await this.#findCname(one.hostname)).includes(this.#target);
    if (!leadsHere) one.status = one.status === "pending" ? "pending" : "moved";
    else if (one.status === "active") one.certificate = "active";
    else one.status = "active";
    return one;
  }

  restart(one: StoredHostname): StoredHostname {
    if (one.certificate === "validation_timed_out") one.certificate = "pending_validation";
    return one;
  }

  remove(zone: string, { id }: StoredHostname): void {
    this.#of(zone).delete(id);
  }

  #of(zone: string): Map<string, StoredHostname> {
    const known = this.#zones.get(zone) ?? new Map<string, StoredHostname>();
    this.#zones.set(zone, known);
    return known;
  }
}

const hasLabel = (hostname: string, prefix: string) => hostname.split(".").some((label) => label.startsWith(prefix));
