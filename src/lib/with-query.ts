/** Returns a path with the parameters that are not empty, behind those that it has. */
export function withQuery(path: string, query: Readonly<Record<string, string | null | undefined>>): string {
  const search = new URLSearchParams(Object.entries(query).flatMap(([name, value]) => (value ? [[name, value]] : [])));
  return search.size === 0 ? path : `${path}${path.includes("?") ? "&" : "?"}${search}`;
}
