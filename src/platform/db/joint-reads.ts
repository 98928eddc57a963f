import type { Ctx } from "../context.ts";
import { asDatabase } from "./count-rows.ts";
import { isRead } from "./is-read.ts";
import { markRepeating } from "./repeat-call.ts";

/** Microtasks between the first read and the call: operations check their input in async functions before they read. */
const TURNS = 20;

type Row = Record<string, unknown>;
type Original = Readonly<{ statement: D1PreparedStatement; sql: string }>;

interface Read {
  statements: readonly D1PreparedStatement[];
  resolve(results: D1Result<Row>[]): void;
  reject(error: unknown): void;
}

/**
 * Returns the context with databases that run the reads which are started at the same time in one call of D1, so that a page
 * waits for one round trip. Writes run by themselves.
 */
export function withJointReads<Context extends Ctx>(ctx: Context): Context {
  const bindings = Object.entries(ctx.env).map(([name, binding]) => [
    name,
    /^(DB|MAIL_\d+)$/.test(name) ? jointly(binding) : binding,
  ]);
  const env = Object.fromEntries(bindings) as Env;
  return { ...ctx, env, db: asDatabase<"main">(env.DB) };
}

function jointly(binding: D1Database): D1Database {
  // Counts what the writes write, by the binding of the Worker.
  const db = asDatabase(binding) as unknown as D1Database;
  const originals = new WeakMap<object, Original>();
  const read = reader(db);
  const one = async (statement: D1PreparedStatement) => (await read([statement]))[0] as D1Result<Row>;
  const wrap = (original: Original): D1PreparedStatement => {
    const { statement, sql } = original;
    const wrapped = {
      bind: (...values: unknown[]) => wrap({ statement: statement.bind(...values), sql }),
      run: () => statement.run(),
      all: () => (isRead(sql) ? one(statement) : statement.all()),
      async first(column?: string) {
        if (!isRead(sql)) return column === undefined ? statement.first() : statement.first(column);
        const [row = null] = (await one(statement)).results;
        return row === null || column === undefined ? row : (row[column] ?? null);
      },
      raw: async () =>
        isRead(sql) && hasDistinctNames(sql)
          ? (await one(statement)).results.map((row) => Object.values(row))
          : statement.raw(),
    } as unknown as D1PreparedStatement;
    originals.set(wrapped, original);
    return wrapped;
  };
  return markRepeating({
    prepare: (sql: string) => wrap({ statement: db.prepare(sql), sql }),
    batch(statements: D1PreparedStatement[]) {
      const batch = statements.map((statement) => originals.get(statement) ?? { statement, sql: "" });
      const unwrapped = batch.map(({ statement }) => statement);
      return batch.every(({ sql }) => isRead(sql)) ? read(unwrapped) : db.batch(unwrapped);
    },
  } as unknown as D1Database);
}

/** Returns a function that reads in the next call of D1, together with the others that wait for it. */
function reader(db: D1Database) {
  let waiting: Read[] = [];
  const flush = async () => {
    for (let turn = 0; turn < TURNS; turn += 1) await null;
    const reads = waiting;
    waiting = [];
    try {
      const results = await db.batch<Row>(reads.flatMap(({ statements }) => statements));
      for (const { statements, resolve } of reads) resolve(results.splice(0, statements.length));
    } catch (error) {
      for (const { reject } of reads) reject(error);
    }
  };
  return (statements: readonly D1PreparedStatement[]) =>
    new Promise<D1Result<Row>[]>((resolve, reject) => {
      if (waiting.push({ statements, resolve, reject }) === 1) void flush();
    });
}

/** Returns whether all columns get different names. A batch returns rows as objects, which have one value for each name. */
function hasDistinctNames(sql: string): boolean {
  if (!/ join /i.test(sql)) return true;
  const [, list] = /^select ((?:(?:"\w+"\.)?"\w+"(?:, )?)+) from /.exec(sql) ?? [];
  const names = list?.match(/"\w+"(?=,|$)/g);
  return names !== undefined && names !== null && new Set(names).size === names.length;
}
