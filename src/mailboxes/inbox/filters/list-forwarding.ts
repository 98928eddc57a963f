import type { CallerCtx } from "../../../access/caller.ts";
import { permittedForwards } from "../../forwarding-rules/index.ts";
import { mailboxStore } from "../../mailbox-store/index.ts";
import { listMailboxes } from "../../mailboxes/index.ts";

/** Mailboxes that are read for a page: each is a call to its own Durable Object. */
const PAGE_MAILBOXES = 50;
/** Calls at once. */
const CONCURRENT = 10;

/** A filter of a mailbox that is on and has forwards. */
export interface ForwardingFilter {
  id: string;
  name: string | null;
  mailbox: { id: string; address: string };
  /** The addresses that it forwards to. */
  addresses: string[];
  /** The user who saved it last. Null: the mailbox itself, or not known. */
  makerId: string | null;
  /** When it last took a message to forward, in ms since 1970. Null: never, or before that was stored. */
  lastUsedAt: number | null;
  /** False: an address has not confirmed, or the right of who saved it has ended. */
  isForwarding: boolean;
}

/**
 * Returns the filters that forward, of the 50 mailboxes after the address `after`. `next` is the address to continue after, or null on the last
 * page. For callers who may open every mailbox of the workspace. Throws 502 when a mailbox cannot be read.
 */
export async function listForwardingFilters(
  ctx: CallerCtx,
  after: string | undefined,
): Promise<{ filters: ForwardingFilter[]; next: string | null }> {
  const range = { offset: 0, limit: PAGE_MAILBOXES + 1 };
  const rows = await listMailboxes(ctx, after === undefined ? range : { ...range, after });
  const page = rows.slice(0, PAGE_MAILBOXES);
  const filters: ForwardingFilter[] = [];
  for (let start = 0; start < page.length; start += CONCURRENT)
    filters.push(...(await Promise.all(page.slice(start, start + CONCURRENT).map((one) => readOne(ctx, one)))).flat());
  return { filters, next: rows.length > page.length ? (page.at(-1)?.address ?? null) : null };
}

async function readOne(ctx: CallerCtx, { id, address }: { id: string; address: string }): Promise<ForwardingFilter[]> {
  const { number: workspace } = ctx.workspace;
  const found = await mailboxStore(ctx, id).forwardingFilters(workspace);
  const all = found.flatMap(({ forwards }) => forwards);
  const permitted = new Set(await permittedForwards(ctx, { id, workspace }, all));
  return found.map(({ forwards, ...filter }) => ({
    ...filter,
    mailbox: { id, address },
    addresses: forwards.map((forward) => forward.address),
    makerId: forwards[0]?.maker?.userId ?? null,
    isForwarding: forwards.every((forward) => permitted.has(forward)),
  }));
}
