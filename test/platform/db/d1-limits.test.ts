/** Miniflare admits what D1 refuses (https://developers.cloudflare.com/d1/platform/limits/): dev/d1-limits.ts refuses it here too. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { findLargeRows } from "../../support/empty-databases.ts";

describe.each(["DB", "MAIL_0", "MAIL_1"] as const)("the local database %s", (name) => {
  const db = env[name];

  it("refuses a statement above 100,000 bytes", async () => {
    const ofBytes = (bytes: number) => `SELECT 1 AS n --${"é".repeat((bytes - 16) / 2)}`;
    expect(await db.prepare(ofBytes(100_000)).first("n")).toBe(1);
    expect(() => db.prepare(ofBytes(100_002))).toThrow("SQLITE_TOOBIG: 100002 bytes; the limit is 100000");
  });

  it("refuses a text or blob above 2,000,000 bytes", async () => {
    const statement = db.prepare("SELECT octet_length(?1) AS bytes");
    for (const value of ["é".repeat(1_000_000), new Uint8Array(2_000_000), new ArrayBuffer(2_000_000)])
      expect(await statement.bind(value).first("bytes")).toBe(2_000_000);
    for (const value of [`x${"é".repeat(1_000_000)}`, new Uint8Array(2_000_001), new ArrayBuffer(2_000_001)])
      expect(() => statement.bind(value)).toThrow("SQLITE_TOOBIG: 2000001 bytes; the limit is 2000000");
  });

  it("refuses more than 100 parameters", async () => {
    const values = Array.from({ length: 101 }, (_, n) => n);
    const statement = db.prepare(`SELECT ${values.slice(0, 100).map(() => "?")}`);
    expect(await statement.bind(...values.slice(0, 100)).raw()).toEqual([values.slice(0, 100)]);
    expect(() => statement.bind(...values)).toThrow("101 parameters; the limit is 100");
  });
});

it("a row above 2,000,000 bytes is found, by its database, table and size", async () => {
  const insert = env.DB.prepare("INSERT INTO dead_letters (id, queue, body, recorded_at) VALUES (?1, ?2, ?3, 1)");
  const half = "x".repeat(1_000_000);
  await insert.bind("r", "x".repeat(999_998), half).run();
  expect(await findLargeRows()).toEqual([]);
  await insert.bind("s", half, half).run();
  expect(await findLargeRows()).toEqual(["DB.dead_letters: 2000002 bytes"]);
  await env.DB.prepare("DELETE FROM dead_letters").run();
});
