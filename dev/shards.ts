// `npm run shards -- list`: prints the mail databases with their sizes, read from the main database of the local state of
// `npm start`; with --remote --config <file> from that of the deployment whose configuration the file is, by the login of wrangler.
import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { readArguments } from "./arguments.ts";
import { readLayout } from "./layout.ts";

interface ShardRow {
  number: number;
  size: number;
  workspaces: number;
  is_open: number;
}

const LIST = "SELECT number, size, workspaces, is_open FROM mail_shards ORDER BY number";

const usage = "shards -- list [--remote --config wrangler.production.json]";
const options = { remote: { type: "boolean" }, config: { type: "string" } } as const;
const { values, positionals } = readArguments({ usage, options, allowPositionals: true });
try {
  if (positionals.join() !== "list") throw new Error("The only command is list.");
  if ((values.remote === true) !== (values.config !== undefined))
    throw new Error("Give --remote and --config together.");
  print(await readShards(values.config ?? null));
} catch (error) {
  console.error((error as Error).message);
  console.error(`Usage: npm run ${usage}`);
  process.exit(1);
}

/** Reads the databases of the deployment with this configuration, or of the local state. */
async function readShards(config: string | null): Promise<ShardRow[]> {
  const { persistDir } = readLayout(process.env);
  const place = config === null ? ["--local", "--persist-to", persistDir] : ["--remote", "--config", config];
  const args = ["d1", "execute", "DB", ...place, "--json", "--command", LIST];
  const wrangler = path.join(import.meta.dirname, "../node_modules/.bin/wrangler");
  const { stdout } = await promisify(execFile)(wrangler, args).catch(() => {
    const hint = config !== null ? "sign in with npx wrangler login" : "create it with npm start";
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
