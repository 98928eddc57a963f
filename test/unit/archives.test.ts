/** Archives are read by Python's zipfile and mailbox modules, and those that they write are read here. */

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { crc32 } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { MboxQuoter } from "../../src/lib/mbox/quote.ts";
import { readMbox } from "../../src/lib/mbox/read.ts";
import { type ByteSource, checkBytes, openZipFile, readDirectory } from "../../src/lib/zip/reader.ts";
import { ZipWriter } from "../../src/lib/zip/writer.ts";
import { pythonUnavailable } from "../host/support/python.ts";

const folder = mkdtempSync(path.join(tmpdir(), "archives-"));
afterAll(() => rmSync(folder, { recursive: true }));

const encode = (text: string) => new TextEncoder().encode(text);
const files = { "INBOX/1.eml": "Subject: a\r\n\r\nText\r\n", "Ünter/2.eml": "b".repeat(70_000), "empty.eml": "" };

/** Runs a Python program with the folder as its argument and returns what it prints, from JSON. */
function python(program: string): unknown {
  const { status, stdout, stderr } = spawnSync("python3", ["-c", program, folder], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

function sourceOf(bytes: Uint8Array): ByteSource {
  const read = (offset: number, length: number) => bytes.slice(offset, offset + length);
  return {
    size: bytes.length,
    read: async (offset, length) => read(offset, length),
    stream: async (offset, length) => new Blob([read(offset, length) as Uint8Array<ArrayBuffer>]).stream(),
  };
}

async function readZip(bytes: Uint8Array): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for await (const file of readDirectory(sourceOf(bytes), 100_000)) {
    const chunks: Buffer[] = [];
    for await (const chunk of checkBytes(file, await openZipFile(sourceOf(bytes), file)))
      chunks.push(Buffer.from(chunk));
    found[file.name] = Buffer.concat(chunks).toString();
  }
  return found;
}

function writeZip(entries: Iterable<[string, string]>): Buffer {
  const zip = new ZipWriter();
  const pieces: Uint8Array[] = [];
  for (const [name, text] of entries) {
    const data = encode(text);
    pieces.push(zip.header({ name, size: data.length, crc: crc32(data), modifiedAt: Date.UTC(2026, 10, 21) }), data);
  }
  return Buffer.concat([...pieces, ...zip.end()]);
}

describe.skipIf(pythonUnavailable() !== null)("Python", () => {
  it("reads a ZIP archive, with its checksums and times; also one of 70,000 files (ZIP64)", () => {
    writeFileSync(path.join(folder, "ours.zip"), writeZip(Object.entries(files)));
    const many = Array.from({ length: 70_000 }, (_, n) => [`f/${n}.eml`, "x"] as [string, string]);
    writeFileSync(path.join(folder, "many.zip"), writeZip(many));
    const read = python(`
import json, sys, zipfile
z = zipfile.ZipFile(sys.argv[1] + "/ours.zip")
m = zipfile.ZipFile(sys.argv[1] + "/many.zip")
print(json.dumps([z.testzip(), {i.filename: z.read(i).decode() for i in z.infolist()}, z.infolist()[0].date_time,
  len(m.namelist()), m.read("f/69999.eml").decode()]))`);
    expect(read).toEqual([null, files, [2026, 11, 21, 0, 0, 0], 70_000, "x"]);
  });

  it("writes ZIP archives that are read here: stored, compressed, as a stream with data descriptors, with ZIP64", async () => {
    python(`
import json, sys, zipfile
files = json.loads(${JSON.stringify(JSON.stringify(files))})
class Pipe:
  def __init__(self, name): self.f = open(name, "wb")
  def write(self, data): return self.f.write(data)
  def flush(self): self.f.flush()
for name, method, out in [("stored", 0, None), ("deflated", 8, None), ("streamed", 8, Pipe)]:
  path = sys.argv[1] + "/" + name + ".zip"
  with zipfile.ZipFile(out(path) if out else path, "w", method) as z:
    for n, text in files.items():
      with z.open(n, "w", force_zip64=(name == "deflated")) as f: f.write(text.encode())
print("null")`);
    for (const name of ["stored", "deflated", "streamed"])
      expect(await readZip(readFileSync(path.join(folder, `${name}.zip`))), name).toEqual(files);
    const many = writeZip(Array.from({ length: 70_000 }, (_, n) => [`${n}`, ""] as [string, string]));
    expect(Object.keys(await readZip(many)).length).toBe(70_000);
  });

  it("reads and writes mbox files as they are read and written here", async () => {
    const messages = ["Subject: a\n\nFrom the start\n>From x\n\nFrom y\n", "Subject: b\n\nend\n"];
    const quoted = messages.map((text) => {
      const quoter = new MboxQuoter();
      return Buffer.concat([
        encode("From a@b.example Sat Nov 21 14:12:48 2026\n"),
        quoter.push(encode(text)),
        quoter.end(),
      ]);
    });
    writeFileSync(path.join(folder, "ours.mbox"), Buffer.concat(quoted));
    const read = python(`
import json, sys, mailbox
m = mailbox.mbox(sys.argv[1] + "/ours.mbox")
print(json.dumps([x.get_payload() for x in m]))
theirs = mailbox.mbox(sys.argv[1] + "/theirs.mbox")
for x in m: theirs.add(x)
theirs.flush()`) as string[];
    // It leaves the quoting to its caller.
    expect(read.map((text) => text.trimEnd())).toEqual([">From the start\n>>From x\n\n>From y", "end"]);
    const found: string[] = [];
    const file = new Blob([readFileSync(path.join(folder, "theirs.mbox"))]).stream();
    for await (const { raw } of readMbox(file as unknown as AsyncIterable<Uint8Array>, 100_000))
      found.push(new TextDecoder().decode(raw ?? new Uint8Array()).trimEnd());
    expect(found.length).toBe(2);
    expect(found[1]).toContain("Subject: b\n\nend");
  });
});
