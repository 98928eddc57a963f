import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import path from "node:path";
import { type Kind, readRecord } from "../prepared-sql/record.ts";

/** The file that has the record of the version that was released last. */
export const RECORD_FILE = "migrations/released.json";

/**
 * The SQL of a released version. The next version's migrations are tested against it, because the released Worker still runs
 * when they are applied. It is a file, since a clean checkout may have no history.
 */
export interface ReleaseRecord {
  version: string;
  commit: string;
  /** Name of the last migration of each kind of database. */
  migrations: { main: string; mail: string };
  /** Statements of the version by kind of database. */
  statements: { main: string[]; mail: string[] };
}

/** Returns the record of the version whose source is in `root`. Its tests have recorded the SQL. */
export function recordOf(root: string, version: string): ReleaseRecord {
  const prepared = readRecord(root);
  const of = (kind: Kind) => [...new Set(Object.values(prepared[kind]).flat())].sort();
  return {
    version,
    commit: execFileSync("git", ["rev-parse", "HEAD"], { cwd: root }).toString().trim(),
    migrations: { main: lastMigration(root, "main"), mail: lastMigration(root, "mail") },
    statements: { main: of("main"), mail: of("mail") },
  };
}

function lastMigration(root: string, kind: string): string {
  const names = readdirSync(path.join(root, "migrations", kind)).filter((name) => name.endsWith(".sql"));
  const last = names.sort().at(-1);
  if (last === undefined) throw new Error(`migrations/${kind} is empty`);
  return last;
}
