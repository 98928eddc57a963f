import { rm } from "node:fs/promises";
import { createMagicLink } from "../src/identity/sign-ins/magic-links/create.ts";
import { createContext } from "../src/platform/create-context.ts";
import { migrateAll, withBindings } from "./database.ts";
import type { Layout } from "./layout.ts";
import { seedWorkspace } from "./seed-workspace.ts";
import { readJson, writeDurably } from "./state/files.ts";

/** Content of `seed.json`. It holds the only copy of the API key: the database has its hash. */
export type Seed = Awaited<ReturnType<typeof seedWorkspace>>;

/** The owner's address is outside of the hosted domain, where mail to an address without a mailbox bounces. */
export const FIRST = { name: "Example", email: "owner@example.org", domain: "example.test", mailboxLocalPart: "hello" };

/**
 * Applies missing migrations, seeds the database at the first start, and creates a sign-in link of the seeded owner, who
 * is the platform admin.
 */
export async function prepareDatabase(layout: Layout): Promise<{ seed: Seed; signInUrl: string }> {
  const seed = await seedOnce(layout);
  const signInUrl = await withBindings(layout, async (env) => {
    const owner = await env.DB.prepare("UPDATE users SET is_platform_admin = 1 WHERE id = ?1 RETURNING email")
      .bind(seed.userId)
      .first<{ email: string }>();
    if (!owner) throw new Error("the owner of the local workspace is missing; run npm run reset");
    return createMagicLink(createContext(env, "seed"), { email: owner.email, next: "/app", method: "bootstrap" });
  });
  return { seed, signInUrl };
}

async function seedOnce(layout: Layout): Promise<Seed> {
  const known = await readJson<Seed | { begun_at: string }>(layout.seedFile);
  if (known && "apiKey" in known) {
    await withBindings(layout, migrateAll);
    return known;
  }
  // The first start was killed while it seeded. Its API key was never printed, so its state can be deleted.
  if (known) await rm(layout.persistDir, { recursive: true, force: true });
  await writeDurably(layout.seedFile, JSON.stringify({ begun_at: new Date().toISOString() }), 0o600);
  const seed = await withBindings(layout, async (env) => {
    await migrateAll(env);
    return seedWorkspace(createContext(env, "seed"), FIRST);
  });
  await writeDurably(layout.seedFile, JSON.stringify(seed, null, 2), 0o600);
  return seed;
}
