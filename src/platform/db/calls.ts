import type { Database, DatabaseKind, Statement } from "../context.ts";
import { refusalOf } from "./refuse.ts";

/**
 * Returns a database with its calls of one statement: each prepares it, binds the values and executes it. Its batches throw the refusal of
 * a statement (`refusalOf`).
 */
export function withCalls<Kind extends DatabaseKind>({
  prepare,
  ...binding
}: Pick<Database<Kind>, "prepare" | "batch">): Database<Kind> {
  const batch: Database<Kind>["batch"] = async (statements) => {
    try {
      return await binding.batch(statements);
    } catch (error) {
      throw refusalOf(error) ?? error;
    }
  };
  const bind = (sql: string, values: readonly unknown[]) =>
    values.length === 0 ? prepare(sql) : prepare(sql).bind(...values);
  return {
    prepare,
    batch,
    listEach: async <Rows extends unknown[]>(statements: readonly Statement<Kind>[]) =>
      (await batch(statements)).map(({ results }) => results) as { [Key in keyof Rows]: Rows[Key][] },
    listRows: async <Row>(sql: string, ...values: unknown[]) => (await bind(sql, values).all<Row>()).results,
    findRow: <Row>(sql: string, ...values: unknown[]) => bind(sql, values).first<Row>(),
    async findValue<Value>(sql: string, ...values: unknown[]) {
      const row = await bind(sql, values).first<Record<string, Value>>();
      return row && (Object.values(row)[0] ?? null);
    },
    execute: (sql, ...values) => bind(sql, values).run(),
  };
}
