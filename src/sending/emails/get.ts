import type { CallerCtx } from "../../access/caller.ts";
import { contentPlace, describeRaw, readContent, UnrenderableError } from "./content/index.ts";
import { mayReadContent } from "./may-read-content.ts";
import { type DetailRow, getEmail } from "./queries.ts";
import type { DetailOut } from "./schema.ts";
import { toDetail } from "./serialize.ts";

/** Returns an email with its events, and with its content if the caller may read it. Throws 404. */
export async function getEmailDetail(ctx: CallerCtx, id: string): Promise<DetailOut> {
  return readDetail(ctx, await getEmail(ctx, id));
}

/** Returns the same of a row that was read. */
export async function readDetail(ctx: CallerCtx, row: DetailRow): Promise<DetailOut> {
  if (!(await mayReadContent(ctx, row))) return toDetail(row, null);
  try {
    const content = await readContent(ctx, ctx.workspace.id, row);
    const isRaw = content?.raw !== undefined;
    return toDetail(row, isRaw ? await describeRaw(ctx, contentPlace(ctx.workspace.id, row).key, content) : content);
  } catch (error) {
    // Such an email failed, and its event says why.
    if (error instanceof UnrenderableError) return toDetail(row, null);
    throw error;
  }
}
