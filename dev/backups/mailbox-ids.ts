import type { BackupClient } from "./client.ts";

/** Returns the ids of all mailboxes. Reads ids only, page after page. */
export async function readMailboxIds(client: BackupClient): Promise<string[]> {
  const found: string[] = [];
  for (let after: string[] | null = null; ; ) {
    const request: object = { store: "main", table: "mailboxes", columns: ["id"], key: ["id"], after, filter: null };
    const { rows }: { rows: string[][] } = await client.call("/auth/backup/rows", request);
    const last = rows.at(-1);
    if (!last) return found;
    found.push(...rows.flat());
    after = last;
  }
}
