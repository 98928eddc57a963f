import type { Ctx } from "../../platform/context.ts";
import { fingerprintKeys } from "./fingerprint-keys.ts";
import { type SealedColumn, sealedColumns } from "./sealed-columns.ts";

/** The master keys of a running Worker, without the keys. */
export interface DeployedKeys {
  /** `<version>.<fingerprint>` of each key; the one that encrypts new values is first. */
  fingerprints: string[];
  /** Versions of the keys under which stored secrets are encrypted, ascending. Null: the Worker is too old to tell. */
  sealed_under: number[] | null;
}

const findVersions = ({ table, column }: SealedColumn) => `
  SELECT DISTINCT CAST(substr(${column}, 1, instr(${column}, '.') - 1) AS INTEGER) AS version
    FROM ${table} WHERE ${column} IS NOT NULL`;

/** Returns which master keys this Worker has, and which of them stored secrets need. Reads the columns as a whole: operators only. */
export async function readDeployedKeys(ctx: Ctx): Promise<DeployedKeys> {
  const statements = sealedColumns.map((column) => ctx.db.prepare(findVersions(column)));
  const found = await ctx.db.batch<{ version: number }>(statements);
  const versions = found.flatMap(({ results }) => results.map(({ version }) => version));
  return {
    fingerprints: await fingerprintKeys(ctx.settings.masterKeys),
    sealed_under: [...new Set(versions)].sort((a, b) => a - b),
  };
}
