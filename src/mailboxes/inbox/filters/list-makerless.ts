import type { CallerCtx } from "../../../access/caller.ts";
import { type MakerlessFilter, mailboxStore } from "../../mailbox-store/index.ts";
import { listMailboxes } from "../../mailboxes/index.ts";

/** Mailboxes that are read for a page: each is a call to its own Durable Object. */
const PAGE_MAILBOXES = 50;
/** Calls at once. */
const CONCURRENT = 10;

/** The filters of a mailbox that forward, and whose maker is not known. */
export interface MakerlessFilters {
  mailbox: { id: string; address: string };
  filters: MakerlessFilter[];
}

/**
 * Returns the filters that forward without a known maker, of the 50 mailboxes after the address `after`. `next` is the address to continue
 * after, or null on the last page. For callers who may open every mailbox of the workspace. Throws 502 when a mailbox cannot be read.
 */
export async function listMakerlessFilters(
  ctx: CallerCtx,
  after: string | undefined,
): Promise<{ found: MakerlessFilters[]; next: string | null }> {
  const range = { offset: 0, limit: PAGE_MAILBOXES + 1 };
  const rows = await listMailboxes(ctx, after === undefined ? range : { ...range, after });
  const page = rows.slice(0, PAGE_MAILBOXES);
  const found: MakerlessFilters[] = [];
  for (let start = 0; start < page.length; start += CONCURRENT) {
    const read = page.slice(start, start + CONCURRENT).map(async ({ id, address }) => ({
      mailbox: { id, address },
      filters: await mailboxStore(ctx, id).makerlessFilters(ctx.workspace.number),
    }));
    found.push(...(await Promise.all(read)).filter(({ filters }) => filters.length > 0));
  }
  return { found, next: rows.length > page.length ? (page.at(-1)?.address ?? null) : null };
}
