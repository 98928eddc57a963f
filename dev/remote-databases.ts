import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { ROOT } from "./layout.ts";

/**
 * Opens the databases of `config`: those of the deployment, or with `stateDir` those in a folder of this machine,
 * which no other process may use. Other bindings are left out.
 */
export async function withDatabases<Result>(
  { stateDir, config = "wrangler.toml" }: { stateDir: string | null; config?: string },
  use: (env: Env) => Promise<Result>,
): Promise<Result> {
  const { getPlatformProxy, unstable_readConfig: readConfig } = await import("wrangler");
  const { name, compatibility_date, d1_databases } = readConfig({ config: path.resolve(ROOT, config) });
  const folder = await mkdtemp(path.join(os.tmpdir(), "email-delivery-migrate-"));
  const configPath = path.join(folder, "wrangler.json");
  const databases = d1_databases.map((database: object) => ({ ...database, remote: stateDir === null }));
  await writeFile(configPath, JSON.stringify({ name, compatibility_date, d1_databases: databases }));
  try {
    const persist = stateDir === null ? false : { path: path.join(path.resolve(stateDir), "v3") };
    const proxy = await getPlatformProxy<Env>({ configPath, persist, remoteBindings: stateDir === null });
    try {
      return await use(proxy.env);
    } finally {
      await proxy.dispose();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
