import type { Ctx } from "../context.ts";
import type { StoredBrand } from "../db/schema/main/index.ts";

/** A workspace as its recipients see it. */
export interface Brand extends StoredBrand {
  name: string;
}

/** SQL expression of the stored brand of a row of `workspaces` with this alias. */
export const brandSql = (alias: string) => `${alias}.settings->'$.brand'`;

/** Returns a brand. A name that reads as an address gets word joiners, so that no mail program makes a link of it. Pure. */
export function toBrand(name: string, stored: string | null): Brand {
  return { ...(JSON.parse(stored ?? "{}") as StoredBrand), name: name.replace(/[.:@/](?=\S)/g, "$&\u2060") };
}

/** Returns the brand of a workspace by its number, or null when it was deleted. */
export async function readBrand({ db }: Pick<Ctx, "db">, workspace: number): Promise<Brand | null> {
  const sql = `SELECT name, ${brandSql("w")} AS brand FROM workspaces w WHERE number = ?1 AND deleted_at IS NULL`;
  const row = await db.prepare(sql).bind(workspace).first<{ name: string; brand: string | null }>();
  return row && toBrand(row.name, row.brand);
}
