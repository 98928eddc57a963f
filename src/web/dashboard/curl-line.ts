import type { CallerCtx } from "../../access/caller.ts";

/**
 * Returns the command that posts `body` to a path of the API, for lists without rows. `body` is a file such as `@email.json`, or
 * fields without an apostrophe.
 */
export function curlLine(
  caller: CallerCtx,
  path: string,
  body: `@${string}` | Readonly<Record<string, unknown>>,
): string {
  const json = typeof body === "string" ? body : `'${JSON.stringify(body)}'`;
  return `curl ${caller.settings.publicUrl}${path} -H "Authorization: Bearer $KEY" --json ${json}`;
}
