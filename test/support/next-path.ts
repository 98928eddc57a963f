/** Returns the path and query of the `Link: rel="next"` header (RFC 8288); null without one. Throws for another form. */
export function nextPath(response: Response): string | null {
  const link = response.headers.get("Link");
  if (link === null) return null;
  const target = /^<(https?:[^>]+)>; rel="next"$/.exec(link)?.[1];
  if (target === undefined) throw new Error(`not a Link to the next page: ${link}`);
  const { pathname, search } = new URL(target);
  return pathname + search;
}
