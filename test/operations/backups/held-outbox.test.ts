import { env } from "cloudflare:workers";
import { expect, it } from "vitest";

it.each([
  ["main", env.DB],
  ["mail", env.MAIL_0],
] as const)("the rows of a restored outbox of a %s database have every column of the outbox", async (_, database) => {
  const columnsOf = async (table: string) => {
    const { results } = await database.prepare(`PRAGMA table_info(${table})`).all<{ name: string; type: string }>();
    return results.map(({ name, type }) => `${name} ${type}`).sort();
  };
  const columns = await columnsOf("outbox");
  expect(columns.length).toBeGreaterThan(5);
  expect(await columnsOf("held_outbox")).toEqual(columns);
});
