/** The SQL that the tests have prepared on each kind of database (migrations/prepared.json), by file of the source. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type {} from "vitest";
import { ROOT } from "../layout.ts";
import { placesIn } from "./places.ts";

const PREPARED_FILE = "migrations/prepared.json";

const KINDS = ["main", "mail"] as const;
export type Kind = (typeof KINDS)[number];

/** Statements by kind and file, sorted. */
export type SqlRecord = Record<Kind, Record<string, string[]>>;

/** The statements that tests have prepared, and the places of the source that they reached. */
export interface Prepared {
  statements: { kind: Kind; place: string; sql: string }[];
  places: string[];
}

declare module "vitest" {
  interface TaskMeta {
    /** Those of a test file, without those of the files before it in its isolate. */
    prepared?: Prepared;
  }
}

/** Returns the record of statements. */
export function toRecord(statements: Prepared["statements"]): SqlRecord {
  const of = (kind: Kind) => {
    const own = statements.filter((one) => one.kind === kind);
    const byFile = Map.groupBy(own, ({ place }) => place.replace(/(:\d+)+$/, ""));
    const files = [...byFile.keys()].sort();
    return Object.fromEntries(files.map((file) => [file, textsOf(byFile.get(file) ?? [])]));
  };
  return { main: of("main"), mail: of("mail") };
}

const textsOf = (statements: Prepared["statements"]) => [...new Set(statements.map(({ sql }) => sql))].sort();

/** Returns the statements of a record. */
export function statementsOf(record: SqlRecord): Prepared["statements"] {
  return KINDS.flatMap((kind) =>
    Object.entries(record[kind]).flatMap(([place, list]) => list.map((sql) => ({ kind, place, sql }))),
  );
}

/** Returns the statements that the record does not have. */
export function missingIn(record: SqlRecord, statements: Prepared["statements"]): Prepared["statements"] {
  return statementsOf(toRecord(statements)).filter(({ kind, place, sql }) => !record[kind][place]?.includes(sql));
}

/** Returns the places of the source that are not among `reached`. */
export function unpreparedPlaces(reached: readonly string[]): string[] {
  const known = new Set(reached);
  const files = readdirSync(path.join(ROOT, "src"), { recursive: true, encoding: "utf8" });
  return files
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => path.posix.join("src", name))
    .flatMap((file) => placesIn(file, readFileSync(path.join(ROOT, file), "utf8")))
    .filter((place) => !known.has(place))
    .sort();
}

/** Returns what dev/prepared-sql/reporter.ts has written. */
export function readPrepared(file: string): Prepared {
  return JSON.parse(readFileSync(file, "utf8")) as Prepared;
}

/** Returns the record of the source in `root`. */
export function readRecord(root = ROOT): SqlRecord {
  return JSON.parse(readFileSync(path.join(root, PREPARED_FILE), "utf8")) as SqlRecord;
}

/** Replaces the record of the working tree. */
export function writeRecord(record: SqlRecord): void {
  writeFileSync(path.join(ROOT, PREPARED_FILE), `${JSON.stringify(record, null, 2)}\n`);
}
