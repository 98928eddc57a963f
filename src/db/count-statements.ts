/**
 * Returns the database with a counter: each statement that is executed, those of a batch singly, lowers
 * `limits.statements` by one. D1 limits the statements of one invocation of a Worker.
 */
export function countStatements(db: D1Database, limits: { statements: number }): D1Database {
  // `batch` takes only D1's own objects.
  const originals = new WeakMap<D1PreparedStatement, D1PreparedStatement>();
  const count = (original: D1PreparedStatement): D1PreparedStatement => {
    const get = (_: D1PreparedStatement, name: string | symbol) => {
      if (name === "bind") return (...values: unknown[]) => count(original.bind(...values));
      limits.statements -= 1;
      const execute: unknown = Reflect.get(original, name);
      return typeof execute === "function" ? execute.bind(original) : execute;
    };
    const counted = new Proxy(original, { get });
    originals.set(counted, original);
    return counted;
  };
  const methods = {
    prepare: (sql: string) => count(db.prepare(sql)),
    batch: <Row>(statements: D1PreparedStatement[]) => {
      limits.statements -= statements.length;
      return db.batch<Row>(statements.map((statement) => originals.get(statement) ?? statement));
    },
  };
  return new Proxy(db, { get: (target, name) => Reflect.get(name in methods ? methods : target, name) });
}
