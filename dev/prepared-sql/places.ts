/** Places of the source that make SQL. The tests run a copy of the source in which they are marked. Pure. */

/** Files that only pass on the statements of others. */
const WRAPPERS = new Set(
  ["calls.ts", "count-rows.ts", "count-statements.ts", "joint-reads.ts"].map((name) => `src/platform/db/${name}`),
);
/** Its SQL describes indexes, and is in no statement. */
const SCHEMA = "src/platform/db/schema/";

/** A call that prepares SQL (`Database` of src/platform/context.ts); a query builder; an SQL template of it. */
const PLACE =
  /\.(prepare|listRows|findRow|findValue|execute)(?=[<(])|(?<!function )\b(?:orm|mailOrm)(?=\()|\bsql(?=(?:<\w+>)?`)/g;

/** Returns the places of a file as `<file>:<line>:<column>`. */
export function placesIn(file: string, text: string): string[] {
  const places: string[] = [];
  markPlaces(file, text, (place) => places.push(place));
  return places;
}

/**
 * Returns the text of a file with its places marked for test/support/statement-recorder.ts, in the same lines: `db.prepare(sql)` as
 * `db[preparedAt]("<place>", "prepare")(sql)`, `orm(ctx)` as `builtAt("<place>", orm)(ctx)`, and `sql` as `(reached("<place>"), sql)`.
 */
export function markPlaces(file: string, text: string, onPlace: (place: string) => unknown = () => {}): string {
  if (WRAPPERS.has(file) || file.startsWith(SCHEMA)) return text;
  return text.replace(PLACE, (found, method: string | undefined, offset: number) => {
    const lines = text.slice(0, offset).split("\n");
    const place = `${file}:${lines.length}:${(lines.at(-1) ?? "").length + 1}`;
    onPlace(place);
    if (method !== undefined) return `[preparedAt]("${place}", "${method}")`;
    return found === "sql" ? `(reached("${place}"), sql)` : `builtAt("${place}", ${found})`;
  });
}
