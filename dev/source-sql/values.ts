/** Values of expressions, as far as they are known without running the source. */
import type { FunctionLikeDeclaration, Node } from "typescript/unstable/ast";

/** A value that depends on data. */
export const UNKNOWN: unique symbol = Symbol("unknown");

export class Closure {
  readonly fn: FunctionLikeDeclaration;
  readonly scope: Scope;

  constructor(fn: FunctionLikeDeclaration, scope: Scope) {
    this.fn = fn;
    this.scope = scope;
  }
}

export type Value =
  | string
  | number
  | boolean
  | undefined
  | typeof UNKNOWN
  | Closure
  | Value[]
  | { [key: string]: Value };

/** Values of the parameters of the functions that are being called. */
export type Scope = ReadonlyMap<Node, Value>;

export const objectMethods: Readonly<Record<string, (object: object) => Value>> = {
  keys: Object.keys,
  values: Object.values,
  entries: Object.entries,
};

export const isObject = (value: Value): value is Value[] | { [key: string]: Value } =>
  typeof value === "object" && !(value instanceof Closure);

export const itemsOf = (list: Value): Value[] => (Array.isArray(list) ? list : [UNKNOWN]);

export const property = (object: Value, key: string): Value =>
  isObject(object) ? (object as { [key: string]: Value })[key] : UNKNOWN;

export function concatenate(values: Value[]): Value {
  const isText = (value: Value) => ["string", "number", "boolean"].includes(typeof value);
  return values.every(isText) ? values.map(String).join("") : UNKNOWN;
}
