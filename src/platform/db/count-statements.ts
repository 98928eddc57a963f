import type { Ctx, Database, DatabaseKind, Statement } from "../context.ts";
import { withCalls } from "./calls.ts";

/** D1's own objects by the counted statements, since `batch` takes only the former. */
const originals = new WeakMap<object, object>();
/** The counter of each counting database. */
const counters = new WeakMap<object, object>();

/**
 * Returns the database with a counter: each statement that is executed, those of a batch singly, lowers `limits.statements` by one. D1
 * limits the statements of one invocation of a Worker. A database that counts with this counter already is returned as it is.
 */
export function countStatements<Kind extends DatabaseKind>(
  db: Database<Kind>,
  limits: { statements: number },
): Database<Kind> {
  if (counters.get(db) === limits) return db;
  const count = (original: Statement<Kind>): Statement<Kind> => {
    const get = (_: Statement<Kind>, name: string | symbol) => {
      if (name === "bind") return (...values: unknown[]) => count(original.bind(...values));
      limits.statements -= 1;
      const execute: unknown = Reflect.get(original, name);
      return typeof execute === "function" ? execute.bind(original) : execute;
    };
    const counted = new Proxy(original, { get });
    originals.set(counted, original);
    return counted;
  };
  const originalOf = (statement: Statement<Kind>) => (originals.get(statement) ?? statement) as Statement<Kind>;
  const counting = withCalls<Kind>({
    prepare: (sql) => count(db.prepare(sql)),
    batch: (statements) => {
      limits.statements -= statements.length;
      return db.batch(statements.map(originalOf));
    },
  });
  counters.set(counting, limits);
  return counting;
}

/** Returns whether the invocation may still execute this number of D1 statements, and has work left. */
export function mayExecute(ctx: Pick<Ctx, "limits">, statements: number): boolean {
  return hasWorkLeft(ctx) && (ctx.limits === undefined || ctx.limits.statements >= statements);
}

/** Returns whether work of the invocation is left. Requests have no limit of their own. */
export const hasWorkLeft = ({ limits }: Pick<Ctx, "limits">): boolean => limits === undefined || limits.work > 0;

/** Takes units of work (src/lib/liquid/meter.ts) from what the invocation may still do. */
export function spendWork({ limits }: Pick<Ctx, "limits">, units: number): void {
  if (limits) limits.work -= units;
}
