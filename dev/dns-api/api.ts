import { randomBytes } from "node:crypto";
import { Hono } from "hono";
import { toDnsRecord } from "./dns-record.ts";
import { NewRecord, type Stored, type StoredZone } from "./records.ts";

/** Failures that a test can set for a zone: every call gets this response, or `lost`: it is done, and its response is lost. */
export type ApiFailure = "down" | "rate" | "slow" | "lost" | "garbage";

/**
 * A stand-in of Cloudflare's DNS records API (API v4) with zones in memory. `onChange` is called after each change. DNS answers from
 * `find`.
 */
export class DnsApi {
  readonly zones: readonly StoredZone[];
  readonly #token: string;
  readonly #onChange: () => void;
  /** Failures by the id of the zone. */
  readonly failures = new Map<string, ApiFailure>();
  /** Calls since the start, by method. */
  readonly calls = new Map<string, number>();

  constructor(zones: readonly StoredZone[], token: string, onChange: () => void = () => {}) {
    this.zones = zones;
    this.#token = token;
    this.#onChange = onChange;
  }

  /** Returns the DNS records of a name in one of the zones; a wildcard of the zone applies (RFC 4592). Null: in no zone. */
  find(name: string) {
    const zone = this.zones.find((one) => name === one.name || name.endsWith(`.${one.name}`));
    if (!zone) return null;
    const own = zone.records.filter((record) => record.name === name);
    if (own.length > 0) return own.map((record) => toDnsRecord(record, name));
    const parent = name.split(".").slice(1).join(".");
    const exists = zone.records.some((record) => record.name.endsWith(`.${name}`));
    return exists ? [] : this.#wildcard(zone, parent).map((record) => toDnsRecord(record, name));
  }

  #wildcard(zone: StoredZone, parent: string): Stored[] {
    for (let at = parent; at.endsWith(zone.name); at = at.split(".").slice(1).join(".")) {
      const found = zone.records.filter((record) => record.name === `*.${at}`);
      if (found.length > 0 || zone.records.some((record) => record.name.endsWith(at))) return found;
    }
    return [];
  }

  /** Returns the failure of the zone that a request is about, if it has one. */
  failureOf(request: Request): ApiFailure | undefined {
    return this.failures.get(new URL(request.url).pathname.split("/")[4] ?? "");
  }

  /** Returns the response to a request below `/client/v4`, or null: the connection breaks without one. */
  async respond(request: Request): Promise<Response | null> {
    this.calls.set(request.method, (this.calls.get(request.method) ?? 0) + 1);
    const failure = this.failureOf(request);
    if (failure === "slow") return null;
    if (failure === "down") return new Response("error code: 503", { status: 503 });
    if (failure === "garbage") return new Response("<html>", { status: 200 });
    if (failure === "rate")
      return error(429, 971, "Please wait and consider throttling your request speed", { "Retry-After": "60" });
    if (request.headers.get("Authorization") !== `Bearer ${this.#token}`)
      return error(403, 10000, "Authentication error");
    const response = await this.#app.fetch(request);
    return failure === "lost" ? null : response;
  }

  readonly #app = new Hono()
    .get("/client/v4/zones/:zone/dns_records", (c) => {
      const zone = this.#zone(c.req.param("zone"));
      if (!zone) return error(404, 7003, "Could not route to the zone, perhaps your object identifier is invalid?");
      const { "name.exact": name, type } = c.req.query();
      const found = zone.records.filter(
        (record) => (!name || record.name === name.toLowerCase()) && (!type || record.type === type),
      );
      return result(found.slice(0, Number(c.req.query("per_page") ?? 100)));
    })
    .post("/client/v4/zones/:zone/dns_records", async (c) =>
      this.#write(c.req.param("zone"), null, await c.req.json().catch(() => null)),
    )
    .put("/client/v4/zones/:zone/dns_records/:id", async (c) =>
      this.#write(c.req.param("zone"), c.req.param("id"), await c.req.json().catch(() => null)),
    )
    .delete("/client/v4/zones/:zone/dns_records/:id", (c) => {
      const zone = this.#zone(c.req.param("zone"));
      const index = zone?.records.findIndex(({ id }) => id === c.req.param("id")) ?? -1;
      if (!zone || index < 0) return error(404, 81044, "Record does not exist.");
      zone.records.splice(index, 1);
      this.#onChange();
      return result({ id: c.req.param("id") });
    });

  #zone = (id: string) => this.zones.find((zone) => zone.id === id);

  #write(zoneId: string, id: string | null, body: unknown): Response {
    const zone = this.#zone(zoneId);
    if (!zone) return error(404, 7003, "Could not route to the zone, perhaps your object identifier is invalid?");
    const parsed = NewRecord.safeParse(body);
    if (!parsed.success) return error(400, 9005, "DNS Validation Error");
    // A name outside of the zone is taken as one below it.
    const given = parsed.data.name.toLowerCase();
    const name = given === zone.name || given.endsWith(`.${zone.name}`) ? given : `${given}.${zone.name}`;
    const others = zone.records.filter((record) => record.name === name && record.id !== id);
    if (others.some((other) => other.type === "CNAME") || (parsed.data.type === "CNAME" && others.length > 0))
      return error(400, 81053, "An A, AAAA, or CNAME record with that host already exists.");
    if (others.some((other) => other.type === parsed.data.type && other.content === parsed.data.content))
      return error(400, 81058, "An identical record already exists.");
    const index = zone.records.findIndex((record) => record.id === id);
    if (id !== null && index < 0) return error(404, 81044, "Record does not exist.");
    if (id === null && zone.records.length >= zone.maxRecords) return error(400, 81045, "Record quota exceeded.");
    const stored: Stored = { ...parsed.data, name, id: id ?? randomBytes(16).toString("hex") };
    if (id === null) zone.records.push(stored);
    else zone.records[index] = stored;
    this.#onChange();
    return result(stored);
  }
}

const result = (value: unknown) => Response.json({ success: true, errors: [], messages: [], result: value });

const error = (status: number, code: number, message: string, headers: Record<string, string> = {}) =>
  Response.json({ success: false, errors: [{ code, message }], messages: [], result: null }, { status, headers });
