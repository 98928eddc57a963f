/** An account of a stand-in of wrangler, and what runs commands against it. */
import { spawn } from "node:child_process";
import { chmod, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { ROOT } from "../../../dev/layout.ts";

/** The content of the account. Values of secrets are kept, so that a test can start the Worker with them. */
export interface Account {
  workers: Record<string, { secrets: Record<string, string> }>;
  databases: string[];
  /** Buckets, queues and databases, as `bucket <name>`. */
  made: string[];
  /** Lifecycle rules by bucket. */
  rules: Record<string, string[]>;
}

export class StandIn {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Makes an empty account in a folder, with the commands `wrangler`, `npx` and `node`. The last one only logs its arguments. */
  static async create(folder: string): Promise<StandIn> {
    const program = path.join(import.meta.dirname, "stand-in-wrangler.ts");
    const wrangler = `exec "${process.execPath}" --disable-warning=ExperimentalWarning "${program}" "${folder}"`;
    const scripts = {
      wrangler: `${wrangler} "$@"`,
      npx: `[ "$1" = wrangler ] || exit 64\nshift\n${wrangler} "$@"`,
      node: `echo "node $*" >> "${folder}/wrangler.log"`,
    };
    for (const [name, script] of Object.entries(scripts)) {
      await writeFile(path.join(folder, name), `#!/bin/sh\n${script}\n`);
      await chmod(path.join(folder, name), 0o755);
    }
    const empty: Account = { workers: {}, databases: [], made: [], rules: {} };
    await writeFile(path.join(folder, "account.json"), JSON.stringify(empty));
    return new StandIn(folder);
  }

  /** PATH with the commands, and without the real ones. */
  get path(): string {
    return `${this.#folder}:/usr/bin:/bin`;
  }

  async account(): Promise<Account> {
    return JSON.parse(await readFile(path.join(this.#folder, "account.json"), "utf8")) as Account;
  }

  async save(account: Account): Promise<void> {
    await writeFile(path.join(this.#folder, "account.json"), JSON.stringify(account));
  }

  /** Returns the lines of the log, and empties it. */
  async takeLog(): Promise<string[]> {
    const file = path.join(this.#folder, "wrangler.log");
    const lines = (await readFile(file, "utf8").catch(() => "")).split("\n").filter((line) => line !== "");
    await writeFile(file, "");
    return lines;
  }

  /** Runs a command of the shell in the root of the project, with the stand-in in place of wrangler and no input. */
  async run(command: string): Promise<{ code: number; output: string }> {
    const child = spawn("sh", ["-c", command], {
      cwd: ROOT,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, PATH: this.path },
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
    const code = await new Promise<number>((resolve) => child.once("close", (ended) => resolve(ended ?? -1)));
    return { code, output };
  }
}

/** Returns the commands of wrangler that a text prints. */
export function printedCommands(text: string): string[] {
  return [...text.matchAll(/npx wrangler [^\n`:;]*[^\n`:;., ]/g)].map(([found]) => found);
}
