import { isIPv4, isIPv6 } from "node:net";
import { z } from "zod";
import type { DnsRecord } from "./record.ts";
import { type Found, NXDOMAIN } from "./resolve.ts";

const LABEL = "[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?";
const NAME = new RegExp(`^(?=.{1,253}$)${LABEL}(?:\\.${LABEL})*$`);

const Name = z.string().toLowerCase().regex(NAME, "name is not a domain name");
const Type = z.enum(["TXT", "MX", "CNAME", "A", "AAAA", "NS"]);
const isName = (value: string) => NAME.test(value.toLowerCase());
const isValidValue: Record<z.output<typeof Type>, (value: string) => boolean> = {
  TXT: () => true,
  MX: (value) =>
    /^\d{1,5} \S+$/.test(value) && Number.parseInt(value, 10) < 65_536 && isName(value.split(" ")[1] ?? ""),
  CNAME: isName,
  NS: isName,
  A: isIPv4,
  AAAA: isIPv6,
};

/** Names one record set: a domain name and a type. */
export const RecordSet = z.object({ name: Name, type: Type });
type RecordSet = z.output<typeof RecordSet>;

/** Body of PUT /records. An empty `values` means that the record does not exist. An MX value is `<priority> <host>`. */
export const Override = RecordSet.extend({ values: z.array(z.string().max(4_000)).max(10) })
  .refine(({ type, values }) => values.every((value) => isValidValue[type](value)), {
    path: ["values"],
    message: "values has an item that is not valid for this record type",
  })
  .refine(({ type, values }) => type !== "CNAME" || values.length < 2, {
    path: ["values"],
    message: "values has more than one CNAME; a name can have only one",
  });
export type Override = z.output<typeof Override>;

/** Stores record sets that replace those of the zone, in memory only. */
export class Overrides {
  readonly #overrides = new Map<string, Override>();

  put(override: Override) {
    this.#overrides.set(keyOf(override), override);
  }

  /** Returns false when the record set has no override. */
  delete(set: RecordSet): boolean {
    return this.#overrides.delete(keyOf(set));
  }

  list(): Override[] {
    return [...this.#overrides.values()];
  }

  /** Finds the records of a name: its overrides, and those of `findPublished` whose type has no override. */
  async find(name: string, type: string, findPublished: (name: string) => Promise<Found>): Promise<Found> {
    const overrides = this.list().filter((override) => override.name === name);
    const records = overrides.flatMap(toRecords);
    const isOverridden = (recordType: string) => overrides.some((override) => override.type === recordType);
    if (isOverridden(type) || records.some((record) => record.type === "CNAME")) return records;
    const published = await findPublished(name);
    if (overrides.length === 0) return published;
    if (Array.isArray(published)) return [...published.filter((record) => !isOverridden(record.type)), ...records];
    return published === NXDOMAIN ? records : published;
  }
}

function keyOf({ name, type }: RecordSet): string {
  return `${type} ${name}`;
}

function toRecords({ name, type, values }: Override): DnsRecord[] {
  return values.map((value) => {
    if (type !== "MX") return { name, type, value };
    const [priority, host = ""] = value.split(" ");
    return { name, type, value: host, priority: Number(priority) };
  });
}
