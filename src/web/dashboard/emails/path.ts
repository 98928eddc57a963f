/** Returns the path of the list with a search, a status, and the id to continue below. */
export function emailsPath(query: { q: string; status: string; before?: string }): string {
  const parameters = Object.entries(query).filter(([, value]) => value !== "");
  return parameters.length === 0 ? "/app/emails" : `/app/emails?${new URLSearchParams(parameters)}`;
}
