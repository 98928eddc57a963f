/** A text to which statements append grows until D1 refuses its row (2,000,000 bytes): each of these statements has a bound. */
import { describe, expect, it } from "vitest";
import { readRecord, statementsOf } from "../../dev/prepared-sql/record.ts";

/** Columns whose statements have no bound, by their reason. */
const BOUNDED: Readonly<Record<string, string>> = {
  "api_keys.domain_ids": "removes ids, or replaces each by one",
  "daily_figures.figures": "has at most 1,000 names",
  "emails.message_id": "is cleared",
  "emails.outbox_id": "replaces one character of an id",
  "held_outbox.ref": "the emails of one outbox row",
  "notification_preferences.preferences": "has the fields of its schema",
  "outbox.ref": "removes numbers",
  "person_activity.broadcasts": "removes marks; the statement that adds one keeps the newest",
  "shard_workspaces.day_emails": "is a number",
  "workspaces.budgets": "has a number for each kind of records",
  "workspaces.stored": "has a number for each kind of records",
  "workspaces.settings": "has the fields of its schema",
};

const APPENDS = /\|\||json_(?:insert|set|patch|group_array|group_object)\(/;

interface Assignment {
  column: string;
  value: string;
}

/** Returns the assignments after each SET of a statement. */
function assignmentsOf(sql: string): Assignment[] {
  return [...sql.matchAll(/\bSET\s/g)].flatMap(({ index }) => {
    const parts: string[] = [""];
    let depth = 0;
    for (const token of sql.slice(index + 4).match(/'(?:[^']|'')*'|\b(?:FROM|WHERE|RETURNING)\b|[\s\S]/g) ?? []) {
      if (token === "(" || token === "CASE") depth += 1;
      if (token === ")") depth -= 1;
      if (depth < 0 || (depth === 0 && /^(?:FROM|WHERE|RETURNING)$/.test(token))) break;
      if (depth === 0 && token === ",") parts.push("");
      else parts[parts.length - 1] += token;
    }
    return parts.flatMap((part) => {
      const [, column = "", value = ""] = /^\s*"?(\w+)"?\s*=([\s\S]*)$/.exec(part) ?? [];
      return column === "" ? [] : [{ column, value }];
    });
  });
}

/** Returns the columns to which a statement appends, with their table. */
function appendedIn(sql: string): string[] {
  const table = /\b(?:UPDATE(?:\s+OR\s+\w+)?|INTO)\s+"?(?!SET\b)(\w+)/.exec(sql)?.[1] ?? "";
  return assignmentsOf(sql)
    .filter(({ column, value }) => APPENDS.test(value) && new RegExp(`\\b${column}\\b`).test(value))
    .map(({ column }) => `${table}.${column}`);
}

/** Returns whether a statement compares the size of a column with a number or a parameter. */
const hasBound = (sql: string, column: string) =>
  new RegExp(`length\\((?:[^<>]|->)*\\b${column}\\b(?:[^<>]|->)*\\)\\s*[<>]=?\\s*[?\\d]`).test(sql);

const appending = statementsOf(readRecord()).flatMap(({ place, sql }) =>
  appendedIn(sql).map((name) => ({ place, sql, name })),
);

describe("a statement that appends to a text", () => {
  it("is found in each form", () => {
    expect(appendedIn("UPDATE t SET a = a || ?1, b = 2 WHERE n = 1")).toEqual(["t.a"]);
    expect(appendedIn("UPDATE OR IGNORE t AS x SET b = 1, a = coalesce(json_insert(x.a, '$[#]', 1), '[]')")).toEqual([
      "t.a",
    ]);
    expect(appendedIn("INSERT INTO t (a) VALUES (1) ON CONFLICT DO UPDATE SET a = json_patch(a, excluded.a)")).toEqual([
      "t.a",
    ]);
    expect(appendedIn("UPDATE t SET a = ?1 || ?2, b = b + 1 WHERE a = a || 'x'")).toEqual([]);
    const names = new Set(appending.map(({ name }) => name));
    for (const known of ["emails.events", "inbound_emails.events", "soft_bounces.email_ids", "idempotency_keys.answer"])
      expect(names).toContain(known);
  });

  it("compares its size with a limit, unless the column is bounded otherwise", () => {
    const unbounded = appending.filter(
      ({ name, sql }) => !(name in BOUNDED || hasBound(sql, name.split(".")[1] ?? "")),
    );
    expect(unbounded.map(({ place, name }) => `${place}: ${name}`)).toEqual([]);
    expect(Object.keys(BOUNDED).filter((name) => !appending.some((one) => one.name === name))).toEqual([]);
  });
});
