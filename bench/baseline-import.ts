import { importLimits } from "../src/audience/contacts/rules.ts";

/** The lower bound for the memory of an import: the same statements of D1, with rows that are generated part by part. */
const FIND_SUPPRESSED = `
  SELECT s.workspace, s.email, s.reason FROM json_each(?2) j
    CROSS JOIN suppressions s ON s.workspace = ?1 AND s.email = j.value`;
const INSERT = `
  INSERT OR IGNORE INTO contacts (workspace, list, id, email, email_key, name, metadata, created_at)
  SELECT 0, ?2, value->>'id', value->>'email', value->>'key', value->>'name', value->>'metadata', 0 FROM json_each(?1)`;
const COUNT = "UPDATE contact_lists SET contact_count = contact_count + changes() WHERE n = ?1 AND workspace = 0";

/** Bytes of one parameter of D1. */
const PARAMETER_BYTES = 900_000;

/** Inserts contacts of `bytes` bytes each into a list that no workspace has, as an import of such rows does. */
export async function baselineImport(request: Request, env: Env): Promise<Response> {
  const { rows, bytes } = await request.json<{ rows: number; bytes: number }>();
  const rowsPerPart = Math.min(importLimits.rowsPerBatch, Math.ceil(importLimits.bytesPerBatch / bytes));
  const list = -1 - Math.floor(Math.random() * 1e9);
  for (let start = 0; start < rows; start += rowsPerPart) {
    const end = Math.min(rows, start + rowsPerPart);
    const statements: D1PreparedStatement[] = [];
    for (const chunk of chunksOf(start, end, bytes))
      statements.push(env.MAIL_0.prepare(INSERT).bind(chunk, list), env.MAIL_0.prepare(COUNT).bind(list));
    await env.MAIL_0.batch(statements);
    const keys = JSON.stringify(Array.from({ length: end - start }, (_, i) => addressOf(start + i)));
    await env.DB.batch([env.DB.prepare(FIND_SUPPRESSED).bind(0, keys)]);
  }
  return new Response();
}

const addressOf = (i: number) => `user${i}@example.org`;

/** Returns JSON arrays of contacts that fit into a parameter of D1. */
function* chunksOf(start: number, end: number, bytes: number): Generator<string> {
  const note = "n".repeat(Math.max(0, bytes - 60));
  let rows: string[] = [];
  let size = 0;
  for (let i = start; i < end; i++) {
    const email = addressOf(i);
    const metadata = JSON.stringify({ city: "London", note });
    const row = JSON.stringify({ id: crypto.randomUUID(), email, key: email, name: `Person ${i}, Esq.`, metadata });
    if (size + row.length > PARAMETER_BYTES && rows.length > 0) {
      yield `[${rows.join()}]`;
      rows = [];
      size = 0;
    }
    rows.push(row);
    size += row.length;
  }
  yield `[${rows.join()}]`;
}
