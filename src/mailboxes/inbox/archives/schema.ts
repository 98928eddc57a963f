import * as z from "zod";
import { named, serialize } from "../../../lib/serialize.ts";
import { nameIssue, type StoredImport } from "../../mailbox-store/index.ts";

export const ExportQuery = z.object({
  format: z.enum(["mbox", "zip"]).default("zip"),
  folder: z.string().max(1000).meta({ maxLength: 255 }).optional().describe("Only the messages of this folder."),
});

export const ImportQuery = z.object({
  folder: z
    .string()
    .max(1000)
    .refine((name) => nameIssue(name) === null, "folder is not the name of a folder")
    .meta({ maxLength: 255 })
    .default("INBOX")
    .describe("The folder of messages whose folder the archive does not name. It is created when it does not exist."),
});

const counts = {
  imported: z.int(),
  duplicates: z.int().describe("Messages that an import of the last 30 days added and that are still there."),
  skipped: z.int(),
  errors: z.array(z.string()).describe("At most 100."),
};

export const ImportOut = z
  .object(counts)
  .meta(named("InboxImport", { imported: 2, duplicates: 0, skipped: 0, errors: [] }));

const example = {
  id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a95",
  status: "running",
  size: 48_000_000,
  read: 12_500_000,
  imported: 3_500,
  duplicates: 0,
  skipped: 0,
  errors: [],
  created_at: "2026-11-22T09:00:00.000Z",
  updated_at: "2026-11-22T09:00:20.000Z",
};

export const BackgroundImportOut = z
  .object({
    id: z.uuid(),
    status: z.enum(["running", "done", "failed"]),
    size: z.int().describe("Bytes of the archive."),
    read: z.int().describe("Bytes of it that were read so far."),
    ...counts,
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta(named("InboxBackgroundImport", example));

export function toBackgroundImport(row: StoredImport): z.infer<typeof BackgroundImportOut> {
  const read = row.status === "done" ? row.size : Math.min(row.cursor.read, row.size);
  return serialize(BackgroundImportOut, { ...row, ...row.counts, read });
}
