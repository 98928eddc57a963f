import { env } from "cloudflare:workers";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { BatchOut } from "../../../src/sending/emails/batch/schema.ts";
import type { ContentDocument } from "../../../src/sending/emails/content/documents.ts";
import { database } from "../../support/databases.ts";
import { byExtent } from "../../support/extent.ts";
import { requests } from "../../support/send-requests.ts";
import { run } from "../../support/sending.ts";
import { aWorkspace, type TestWorkspace } from "../../support/workspace.ts";

interface Row {
  id: string;
  source: string;
  message_id: string;
  recipients: string;
  events: string;
  content: string | null;
  content_key: string | null;
  content_offset: number;
  content_size: number;
  due_at: number | null;
  outbox_id: string | null;
  created_at: number;
  status: string;
  [column: string]: unknown;
}

/** Returns an email's row and content without the fields that must differ: ids, times, source, place of the content. */
async function comparable(workspace: TestWorkspace, id: string) {
  const row = await database.row<Row>("SELECT * FROM emails WHERE workspace = ?1 AND id = ?2", [
    workspace.workspaceNumber,
    id,
  ]);
  if (!row) throw new Error("no such row");
  const {
    n: _n,
    source,
    content,
    content_key,
    content_offset,
    content_size,
    due_at: _due,
    outbox_id,
    created_at,
    request_id,
    ...rest
  } = row;
  const key = content_key ?? `w/${workspace.workspaceId}/emails/${id}`;
  const isOnlyInRow = content !== null && content_key === null;
  expect(await env.CONTENT.head(key).then((object) => object === null)).toBe(isOnlyInRow);
  const read = async (offset: number, length: number) =>
    length === 0 ? "" : (await env.CONTENT.get(key, { range: { offset, length } }))?.text();
  const text = (isOnlyInRow ? content.trimEnd() : await read(content_offset, content_size)) ?? "";
  if (content !== null) expect(content.trimEnd()).toBe(text);
  expect(content_size).toBe(new TextEncoder().encode(text).byteLength);
  const document = JSON.parse(text) as ContentDocument;
  const attachments = [];
  for (const { at, ...file } of document.attachments) attachments.push({ ...file, bytes: await read(at, file.size) });
  const due = await database.value<number>("SELECT due_at FROM outbox WHERE id = ?1", [outbox_id ?? id]);
  const at = row.status === "scheduled" ? due : due === created_at;
  return {
    ...rest,
    id: null,
    request_id: request_id === null ? null : "of the accept",
    message_id: row.message_id.replace(id, "id"),
    events: (JSON.parse(row.events) as object[]).map((event) => ({ ...event, id: null, at: null })),
    content: { ...document, attachments },
    at,
  };
}

it("an item of a batch gets the same decision, the same reason and the same row as a single send", async () => {
  const workspace = await aWorkspace();
  for (const n of [1, 2, 3, 4, 5, 6, 7, 8].flatMap((n) => [n, 100 + n]))
    await run(
      "INSERT INTO suppressions (workspace, email, reason, created_at) VALUES (?1, ?2, 'bounce', 1)",
      workspace.workspaceNumber,
      `r${n}@example.org`,
    );
  const api = workspace.withoutQueue;
  const count = byExtent({ quick: 60, full: 160, long: 2_000 });
  const items = fc.sample(requests(workspace.mailbox), { numRuns: count, seed: 20_261_121 });
  const results: BatchOut["results"] = [];
  for (let at = 0; at < items.length; at += 80) {
    const response = await api.post("/v1/emails/batch", items.slice(at, at + 80));
    expect(response.status).toBe(202);
    results.push(...(await response.json<BatchOut>()).results);
  }
  let accepted = 0;
  for (const [index, item] of items.entries()) {
    const single = await api.post("/v1/emails/", item);
    const { id, status, rejection_reason } = results[index] ?? { id: null, status: null, rejection_reason: null };
    const context = JSON.stringify({ item, id, status, rejection_reason });
    if (single.status === 202) {
      accepted += 1;
      const result = await single.json<{ id: string; status: string; rejection_reason: string | null }>();
      expect({ status, rejection_reason }, context).toEqual({
        status: result.status,
        rejection_reason: result.rejection_reason,
      });
      expect(await comparable(workspace, id ?? ""), context).toEqual(await comparable(workspace, result.id));
      continue;
    }
    expect([400, 413, 422]).toContain(single.status);
    expect([id, status], context).toEqual([null, "error"]);
    const { detail } = await single.json<{ detail: string | { loc: unknown[]; msg: string }[] }>();
    if (typeof detail === "string") expect(rejection_reason, context).toContain(detail);
    else {
      const [first] = detail.map(({ loc, msg }) => (loc.length > 1 ? `${loc.slice(1).join(".")}: ${msg}` : msg));
      expect(rejection_reason, context).toBe(first);
    }
  }
  // The test needs enough accepted and enough refused items.
  expect(accepted).toBeGreaterThan(count / 10);
  expect(accepted).toBeLessThan((count * 9) / 10);
}, 300_000);
