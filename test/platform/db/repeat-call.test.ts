import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { asDatabase } from "../../../src/platform/db/count-rows.ts";
import { database } from "../../support/databases.ts";
import { ERRORS } from "../../support/distance/rules.ts";
import { watchDatabase } from "../../support/watch-database.ts";

const { overloaded, lost } = ERRORS.D1;
const INSERT = "INSERT INTO dead_letters (id, queue, body, recorded_at) VALUES (?1, 'repeated', '', 0)";

/** Returns the main database, whose first calls fail: refused ones before their work, others after it. Counts the calls. */
function failing(...errors: string[]) {
  const made = { calls: 0 };
  const binding = watchDatabase(env.DB, async (_, __, run) => {
    const error = errors[made.calls];
    made.calls += 1;
    if (error === overloaded) throw new Error(error);
    const results = await run();
    if (error !== undefined) throw new Error(error);
    return results;
  });
  return { db: asDatabase<"main">(binding), made };
}

const stored = async (id: string) =>
  (await database.row<{ n: number }>("SELECT count(*) AS n FROM dead_letters WHERE id = ?1", [id]))?.n;

describe("a call to D1 that fails", () => {
  it("is repeated up to twice when it only reads: one statement in each form, and a batch", async () => {
    const reads = [
      failing(overloaded, lost).db.prepare("SELECT 7 AS n").first("n"),
      failing(lost, overloaded)
        .db.prepare("SELECT 7 AS n")
        .all()
        .then(({ results }) => results[0]?.n),
      failing(lost)
        .db.prepare("SELECT 7 AS n")
        .raw()
        .then(([row]) => row?.[0]),
    ];
    expect(await Promise.all(reads)).toEqual([7, 7, 7]);
    const { db, made } = failing(overloaded, lost);
    const [one, two] = await db.batch<{ n: number }>([
      db.prepare("SELECT 1 AS n"),
      db.prepare("SELECT ?1 AS n").bind(2),
    ]);
    expect([one?.results, two?.results]).toEqual([[{ n: 1 }], [{ n: 2 }]]);
    expect(made.calls).toBe(3);
  });

  it("fails after the second repeat of a read", async () => {
    const { db, made } = failing(lost, lost, lost);
    await expect(db.prepare("SELECT 1").first()).rejects.toThrow(lost);
    expect(made.calls).toBe(3);
  });

  it("is repeated once when it writes and was refused, and so writes once", async () => {
    const id = crypto.randomUUID();
    const { db, made } = failing(overloaded);
    await db.batch([db.prepare("SELECT 1"), db.prepare(INSERT).bind(id)]);
    expect(made.calls).toBe(2);
    expect(await stored(id)).toBe(1);
    const busy = failing(overloaded, overloaded, overloaded);
    await expect(busy.db.prepare(INSERT).bind(crypto.randomUUID()).run()).rejects.toThrow(overloaded);
    expect(busy.made.calls).toBe(2);
  });

  it("is not repeated when it writes and its connection was lost: it may have committed", async () => {
    const id = crypto.randomUUID();
    const { db, made } = failing(lost);
    await expect(db.prepare(INSERT).bind(id).run()).rejects.toThrow(lost);
    expect(made.calls).toBe(1);
    expect(await stored(id)).toBe(1);
  });

  it("is not repeated when D1 refuses its SQL", async () => {
    const { db, made } = failing();
    await expect(db.prepare("SELECT * FROM no_such_table").all()).rejects.toThrow("no such table");
    expect(made.calls).toBe(1);
  });
});
