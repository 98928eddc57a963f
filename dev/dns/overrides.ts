import { isIPv4, isIPv6 } from "node:net";
import { z } from "zod";
import { type Found, NXDOMAIN } from "./resolve.ts";
import type { DnsRecord } from "./server.ts";

const LABEL = "[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?";
const NAME = new RegExp(`^(?=.{1,253}$)${LABEL}(?:\\.${LABEL})*$`);

const Name = z.string().toLowerCase().regex(NAME, "Not a domain name");
const Type = z.enum(["TXT", "MX", "CNAME", "A", "AAAA", "NS"]);
const isName = (value: string) => NAME.test(value.toLowerCase());
const fits: Record<z.output<typeof Type>, (value: string) => boolean> = {
  TXT: () => true,
  MX: (value) =>
    /^\d{1,5} \S+$/.test(value) && Number.parseInt(value, 10) < 65_536 && isName(value.split(" ")[1] ?? ""),
  CNAME: isName,
  NS: isName,
  A: isIPv4,
  AAAA: isIPv6,
};

/** Which records of a name are meant. */
export const RecordSet = z.object({ name: Name, type: Type });
type RecordSet = z.output<typeof RecordSet>;

/** What PUT /records takes. No values: the name has no such record. An MX value is `<priority> <host>`. */
export const Override = RecordSet.extend({ values: z.array(z.string().max(4_000)).max(10) })
  .refine(({ type, values }) => values.every((value) => fits[type](value)), {
    path: ["values"],
    message: "Not a value of this type",
  })
  .refine(({ type, values }) => type !== "CNAME" || values.length < 2, {
    path: ["values"],
    message: "A name has one CNAME at most",
  });
export type Override = z.output<typeof Override>;

/** What somebody has said should be in DNS, whatever the API says. Kept in memory. */
export class Overrides {
  readonly #kept = new Map<string, Override>();

  put(override: Override) {
    this.#kept.set(keyOf(override), override);
  }

  /** False when there is none. */
  delete(set: RecordSet): boolean {
    return this.#kept.delete(keyOf(set));
  }

  list(): Override[] {
    return [...this.#kept.values()];
  }

  /** What is at a name. `published` is asked for what no override of it covers, and only if the question needs it. */
  async find(name: string, type: string, published: (name: string) => Promise<Found>): Promise<Found> {
    const own = this.list().filter((override) => override.name === name);
    const records = own.flatMap(toRecords);
    const covers = (wanted: string) => own.some((override) => override.type === wanted);
    if (covers(type) || records.some((record) => record.type === "CNAME")) return records;
    const others = await published(name);
    if (own.length === 0) return others;
    if (Array.isArray(others)) return [...others.filter((record) => !covers(record.type)), ...records];
    return others === NXDOMAIN ? records : others;
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
