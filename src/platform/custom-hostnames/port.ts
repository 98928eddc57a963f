/** A custom hostname of Cloudflare for SaaS: a host of a customer that leads to this Worker, with a certificate. */
export interface CustomHostname {
  id: string;
  /** `active`, `pending`, `moved`, `blocked` and some more (Cloudflare for Platforms, validation status). */
  status: string;
  /** Status of its certificate, which becomes active after the hostname; null: it has none yet. */
  certificate: string | null;
}

/**
 * The result of a call. `refused`: the API never takes this name. `unavailable`: it did not respond, or has no room or no
 * permission for us; nothing is known about the hostname.
 */
export type HostnameResult<Value> =
  | { kind: "ok"; value: Value }
  | { kind: "refused"; reason: string }
  | { kind: "unavailable"; reason: string };

/** The custom hostnames of a zone. No call throws. Each is safe to repeat. */
export interface CustomHostnames {
  /** Returns the hostname of a name; null: there is none. */
  find(name: string): Promise<HostnameResult<CustomHostname | null>>;
  /** Returns the hostname of an id; null: there is none. */
  read(id: string): Promise<HostnameResult<CustomHostname | null>>;
  /** Creates the hostname of a name, whose certificate is validated by HTTP. Returns the existing one if there is one. */
  create(name: string): Promise<HostnameResult<CustomHostname | null>>;
  /** Starts the validation of the certificate again. */
  restart(id: string): Promise<HostnameResult<CustomHostname | null>>;
  /** Deletes a hostname with its certificate. Succeeds when there is none. */
  remove(id: string): Promise<HostnameResult<null>>;
}
