/**
 * Has the local databases refuse what D1 refuses and Miniflare admits. The entries of the Worker for tests, `npm start` and the benches
 * import this module first; a deployment never contains it.
 */
import { env } from "cloudflare:workers";

// https://developers.cloudflare.com/d1/platform/limits/
const SQL_BYTES = 100_000;
const VALUE_BYTES = 2_000_000;
const PARAMETERS = 100;

const encoder = new TextEncoder();

const database = Object.getPrototypeOf(env.DB) as D1Database;
const statement = Object.getPrototypeOf(env.DB.prepare("SELECT 1")) as D1PreparedStatement;
const { prepare } = database;
const { bind } = statement;

database.prepare = function (this: D1Database, sql: string) {
  const bytes = byteLength(sql);
  if (bytes > SQL_BYTES) throw new Error(`D1_ERROR: statement too long: SQLITE_TOOBIG: ${over(bytes, SQL_BYTES)}`);
  return prepare.call(this, sql);
};

statement.bind = function (this: D1PreparedStatement, ...values: unknown[]) {
  if (values.length > PARAMETERS)
    throw new Error(
      `D1_ERROR: too many SQL variables: SQLITE_ERROR: ${values.length} parameters; the limit is ${PARAMETERS}`,
    );
  for (const value of values) {
    const bytes = byteLength(value);
    if (bytes > VALUE_BYTES)
      throw new Error(`D1_ERROR: string or blob too big: SQLITE_TOOBIG: ${over(bytes, VALUE_BYTES)}`);
  }
  return bind.apply(this, values);
};

const over = (bytes: number, limit: number) => `${bytes} bytes; the limit is ${limit}`;

/** Returns the bytes of a string or blob, and 0 of any other value. */
function byteLength(value: unknown): number {
  // No string takes more bytes than this: counting them would cost each short one an encoding.
  if (typeof value === "string") return value.length * 3 <= SQL_BYTES ? 0 : encoder.encode(value).byteLength;
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return value.byteLength;
  return Array.isArray(value) ? value.length : 0;
}
