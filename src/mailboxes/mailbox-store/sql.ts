/** The database of a Durable Object, as far as it is used here. */
export type Sql = Pick<SqlStorage, "exec">;

/** Returns all rows of a query. `Row` is what the query selects. */
export function all<Row extends object>(sql: Sql, query: string, ...values: SqlStorageValue[]): Row[] {
  return sql.exec(query, ...values).toArray() as unknown as Row[];
}

/** Returns the values of the only column of a query. */
export function column<Value>(sql: Sql, query: string, ...values: SqlStorageValue[]): Value[] {
  return all(sql, query, ...values).map((row) => Object.values(row)[0] as Value);
}

/** Returns the value of the only column of the first row of a query, or null without a row. */
export function value<Value>(sql: Sql, query: string, ...values: SqlStorageValue[]): Value | null {
  return column<Value>(sql, query, ...values)[0] ?? null;
}

/** Returns the first row of a query, or null. */
export function first<Row extends object>(sql: Sql, query: string, ...values: SqlStorageValue[]): Row | null {
  return all<Row>(sql, query, ...values)[0] ?? null;
}
