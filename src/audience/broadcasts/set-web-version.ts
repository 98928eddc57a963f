import type { CallerCtx } from "../../access/caller.ts";
import { concat, toBase64Url } from "../../lib/bytes.ts";
import { bytesOfHex } from "../../lib/ids.ts";
import { getBroadcast, toRecord } from "./queries.ts";
import type { BroadcastOut } from "./schema.ts";

const UPDATE = `
  UPDATE broadcasts SET web_version_url = iif(?3 IS NULL, NULL, coalesce(web_version_url, ?3)) WHERE workspace = ?1 AND id = ?2`;

/** Shows a broadcast at an address that cannot be guessed, or takes its page back; shown again it has another. Throws 404. */
export async function setWebVersion(ctx: CallerCtx, id: string, isShown: boolean): Promise<BroadcastOut> {
  const { row } = await getBroadcast(ctx, id);
  const number = bytesOfHex(row.workspace.toString(16).padStart(12, "0"));
  const token = toBase64Url(concat([number, bytesOfHex(row.id), crypto.getRandomValues(new Uint8Array(17))]));
  const url = isShown ? `${new URL(ctx.settings.publicUrl).origin}/w/${token}` : null;
  await ctx.mail.execute(UPDATE, row.workspace, row.id, url);
  return toRecord(ctx.workspace.id, await getBroadcast(ctx, id));
}
