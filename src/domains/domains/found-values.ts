import type { Ctx } from "../../platform/context.ts";
import { resolve } from "../../platform/dns/resolve.ts";
import type { DomainOut } from "./schema.ts";

/** Characters of the values of one name that are returned: anybody can publish anything there. */
const MAX_CHARACTERS = 2_000;

/**
 * Returns what DNS has at the names of records that are missing or different, by name and type of the record: its values, one a
 * line, or why there is no response. One DNS query for each such record, at most 10 at once.
 */
export async function findValues(ctx: Ctx, records: DomainOut["records"]): Promise<Map<string, string>> {
  const wrong = records.filter(({ status }) => status === "missing" || status === "mismatch").slice(0, 10);
  const found = await Promise.all(
    wrong.map(async ({ name, type }) => {
      const response = await resolve(ctx, name, type);
      const text = response.status === "ok" ? response.values.join("\n") : "DNS did not respond";
      return [foundKey({ name, type }), text.slice(0, MAX_CHARACTERS).toWellFormed()] as const;
    }),
  );
  return new Map(found);
}

/** Returns the key of a record in the result of `findValues`. */
export const foundKey = ({ name, type }: Pick<DomainOut["records"][number], "name" | "type">) => `${type} ${name}`;
