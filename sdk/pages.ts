import { type Call, type ClientOptions, type Route, send } from "./request.ts";

/** Returns the items of a list, page by page. Each page is read when its first item is asked for. */
export async function* readPages(options: ClientOptions, route: Route, call: Call): AsyncGenerator<unknown, void> {
  let query: Record<string, unknown> | null = call.query ?? {};
  while (query !== null) {
    const response = await send(options, route, { ...call, query });
    const body = (await response.json()) as unknown[] | Record<string, unknown>;
    const items = (Array.isArray(body) ? body : body[route.items ?? ""]) as unknown[];
    yield* items;
    query = items.length === 0 ? null : nextQuery(query, response.headers.get("Link"), body, items.length);
  }
}

/** Returns the query of the next page: that of the Link header, or the next place of a list that has its total. */
function nextQuery(
  query: Record<string, unknown>,
  link: string | null,
  body: unknown[] | Record<string, unknown>,
  count: number,
): Record<string, unknown> | null {
  const next = /<([^>]+)>\s*;\s*rel="?next"?/.exec(link ?? "")?.[1];
  // Only the query is taken, so that the key is never sent to another host.
  if (next !== undefined) return Object.fromEntries(new URL(next, "http://localhost").searchParams);
  if (Array.isArray(body) || typeof body.total !== "number") return null;
  const { total, offset, page, limit } = body as { total: number; offset?: number; page?: number; limit?: number };
  if (offset !== undefined) return offset + count < total ? { ...query, offset: offset + count } : null;
  if (page === undefined || limit === undefined) return null;
  return (page + 1) * limit < total ? { ...query, page: page + 1 } : null;
}
