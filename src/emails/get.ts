import type { CallerCtx } from "../context.ts";
import { contentPlace, findContent } from "./content/index.ts";
import { getEmail } from "./queries.ts";
import type { DetailOut } from "./schema.ts";
import { toDetail } from "./serialize.ts";

/** Returns an email with its content and events. Throws 404. */
export async function getEmailDetail(ctx: CallerCtx, id: string): Promise<DetailOut> {
  const row = await getEmail(ctx, id);
  return toDetail(row, await findContent(ctx, contentPlace(ctx.workspace.id, row)));
}
