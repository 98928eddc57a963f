// `npm run shards -- list`: prints the mail databases with their sizes, read from the main database. Without --remote it reads
// the local state of `npm start`; with --remote the deployment of wrangler.toml, by the login of wrangler.
import { execFile } from "node:child_process";
import path from "node:path";
import { parseArgs, promisify } from "node:util";
import { readLayout } from "./layout.ts";

interface ShardRow {
  number: number;
  size: number;
  workspaces: number;
  is_open: number;
}

const LIST = "SELECT number, size, workspaces, is_open FROM mail_shards ORDER BY number";

try {
  const { values, positionals } = parseArgs({ options: { remote: { type: "boolean" } }, allowPositionals: true });
  if (positionals.join() !== "list") throw new Error("The only command is list.");
  print(await readShards(values.remote ?? false));
} catch (error) {
  console.error((error as Error).message);
  console.error("Usage: npm run shards -- list [--remote]");
  process.exit(1);
}

async function readShards(isRemote: boolean): Promise<ShardRow[]> {
  const { persistDir } = readLayout(process.env);
  const place = isRemote ? ["--remote"] : ["--local", "--persist-to", persistDir];
  const args = ["d1", "execute", "DB", ...place, "--json", "--command", LIST];
  const wrangler = path.join(import.meta.dirname, "../node_modules/.bin/wrangler");
  const { stdout } = await promisify(execFile)(wrangler, args).catch(() => {
    const hint = isRemote ? "sign in with npx wrangler login" : "create it with npm start";
    throw new Error(`The main database could not be read; ${hint}.`);
  });
  const [result] = JSON.parse(stdout) as { results: ShardRow[] }[];
  return result?.results ?? [];
}

function print(rows: readonly ShardRow[]): void {
  if (rows.length === 0) console.log("No size is known yet: cron measures them each minute.");
  for (const { number, size, workspaces, is_open } of rows) {
    const state = is_open === 1 ? "open" : "closed";
    console.log(`MAIL_${number}  ${(size / 1e9).toFixed(3)} GB  ${workspaces} workspaces placed  ${state}`);
  }
}
