import type { ImportedRows } from "../../../src/platform/csv-imports/schema.ts";
import type { apiWith } from "../../support/workspace.ts";

type Api = Pick<ReturnType<typeof apiWith>, "get" | "call">;

const BOUNDARY = "test-boundary-7d1";

/** Returns a multipart body with a file, as text, and its headers. Each call may choose another boundary. */
export function multipart(csv: string, boundary = BOUNDARY, field = "file") {
  const body = `--${boundary}\r\nContent-Disposition: form-data; name="${field}"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\n${csv}\r\n--${boundary}--\r\n`;
  return { body, headers: { "Content-Type": `multipart/form-data; boundary=${boundary}` } };
}

/** Uploads a CSV file into a list. */
export function upload(
  api: Api,
  listId: string,
  csv: string | Uint8Array,
  headers: Record<string, string> = {},
  boundary?: string,
  query: Record<string, string> = {},
) {
  const { body, headers: contentType } = multipart("<file>", boundary);
  const [before = "", after = ""] = body.split("<file>");
  return api.call(
    "POST",
    `/v1/contacts/${listId}/upload?${new URLSearchParams(query)}`,
    new Blob([before, csv, after]).stream(),
    {
      ...contentType,
      ...headers,
    },
  );
}

/** Uploads a CSV file that is accepted, and returns the result. */
export async function importCsv(
  api: Api,
  listId: string,
  csv: string | Uint8Array,
  query: Record<string, string> = {},
): Promise<ImportedRows> {
  const response = await upload(api, listId, csv, {}, undefined, query);
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return response.json<ImportedRows>();
}

/** Returns a list as CSV. */
export async function exportCsv(api: Api, listId: string): Promise<string> {
  const response = await api.get(`/v1/contacts/${listId}/export`);
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return response.text();
}
