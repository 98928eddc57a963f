/** Calls an endpoint of the API with the credential of the request that is handled. `path` begins with a slash. */
export type ApiCall = (
  method: string,
  path: string,
  body: Record<string, unknown> | unknown[] | null,
  headers: Record<string, string>,
) => Promise<Response>;
