/** A value of a JSON document with its place, such as `receivers[2].limits`. Each function throws an Error that names the place. */
export interface Place {
  path: string;
  value: unknown;
}

/** Returns the document. */
export function parseJson(text: string, name: string): Place {
  try {
    return { path: name, value: JSON.parse(text) };
  } catch (error) {
    throw new Error(`${name} is not JSON: ${(error as Error).message}`);
  }
}

/** Throws an Error that begins with the place. */
export function fail({ path }: Place, message: string): never {
  throw new Error(`${path} ${message}`);
}

/** Returns the fields of an object that may have these only. A missing field is undefined. */
export function fieldsOf<Name extends string>(place: Place, names: readonly Name[]): Record<Name, Place> {
  const { path, value } = place;
  if (typeof value !== "object" || value === null || Array.isArray(value)) fail(place, "must be an object");
  const unknown = Object.keys(value).find((name) => !names.some((known) => known === name));
  if (unknown !== undefined) fail(place, `has the unknown field "${unknown}"; it may have ${names.join(", ")}`);
  const fields = new Map(Object.entries(value));
  const at = (name: string): Place => ({ path: `${path}.${name}`, value: fields.get(name) });
  return Object.fromEntries(names.map((name) => [name, at(name)])) as Record<Name, Place>;
}

/** Returns the items of a list, none when it is missing. */
export function itemsOf(place: Place, most: number): Place[] {
  const { path, value = [] } = place;
  if (!Array.isArray(value)) fail(place, "must be a list");
  if (value.length > most) fail(place, `has ${value.length} items; the limit is ${most}`);
  return value.map((item, index) => ({ path: `${path}[${index}]`, value: item }));
}

/** Returns a text of the given form. */
export function textOf(place: Place, form: RegExp, description: string): string {
  if (typeof place.value !== "string" || !form.test(place.value)) fail(place, `must be ${description}`);
  return place.value as string;
}

/** Returns a whole number. */
export function numberOf(place: Place, [least, most]: readonly [number, number]): number {
  const { value } = place;
  if (!Number.isInteger(value) || Number(value) < least || Number(value) > most)
    fail(place, `must be a whole number from ${least} to ${most}`);
  return value as number;
}
