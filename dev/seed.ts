import { rm } from "node:fs/promises";
import { createContext } from "../src/context.ts";
import { migrate, withBindings } from "./database.ts";
import type { Layout } from "./layout.ts";
import { seedWorkspace } from "./seed-workspace.ts";
import { readJson, writeDurably } from "./state/files.ts";

/** What the first start made. The key is nowhere else: the database has only its hash. */
export type Seed = Awaited<ReturnType<typeof seedWorkspace>>;

const FIRST = { name: "Example", email: "owner@example.test", domain: "example.test", mailboxLocalPart: "hello" };

/** Brings the local database up to date, and seeds it at the first start. */
export async function prepareDatabase(layout: Layout): Promise<Seed> {
  const known = await readJson<Seed | { begun_at: string }>(layout.seedFile);
  if (known && "apiKey" in known) {
    await withBindings(layout, (env) => migrate(env.DB));
    return known;
  }
  // A first start that was killed before its end: nobody was ever told the key, so nobody has used it.
  if (known) await rm(layout.persistDir, { recursive: true, force: true });
  await writeDurably(layout.seedFile, JSON.stringify({ begun_at: new Date().toISOString() }), 0o600);
  const seed = await withBindings(layout, async (env) => {
    await migrate(env.DB);
    return seedWorkspace(createContext(env, "seed"), FIRST);
  });
  await writeDurably(layout.seedFile, JSON.stringify(seed, null, 2), 0o600);
  return seed;
}
