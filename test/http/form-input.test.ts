import { expect, it } from "vitest";
import * as z from "zod";
import { inputOf, isChecked } from "../../src/http/form-input.ts";
import { AppError } from "../../src/lib/errors.ts";

/** Forms of pages are read by the schema of the API call (src/http/form-input.ts). */

const Call = z.object({
  name: z.string().min(1, "name must not be empty"),
  note: z.string().nullish(),
  count: z.int().nullable().optional(),
  is_public: z.boolean().default(true),
  events: z.array(z.string()).default(["all"]),
});
const read = inputOf(Call, { is_public: isChecked, events: (form) => form.getAll("event") });
const form = (fields: Record<string, string> | string[][]) => new URLSearchParams(fields);

it("a text is trimmed on one line only, and its line breaks become LF", () => {
  expect(read(form({ name: "  News ", note: " one\r\ntwo " }))).toMatchObject({ name: "News", note: " one\ntwo " });
});

it("an empty text is null where the field takes null, and is refused where it does not", () => {
  expect(read(form({ name: "News", note: " ", count: "" }))).toMatchObject({ note: null, count: null });
  expect(() => read(form({ name: "" }))).toThrow(
    expect.objectContaining({ detail: [expect.objectContaining({ loc: ["body", "name"] })] }),
  );
  expect(() => read(form({ name: "News", count: "many" }))).toThrow(AppError);
});

it("a field that the form lacks stays absent, but a box that is not checked is false and a list without a choice empty", () => {
  const input = read(form({ name: "News" }));
  expect(input).toEqual({ name: "News", is_public: false, events: [] });
  expect("note" in input).toBe(false);
  expect(inputOf(Call)(form({ name: "News" }))).toMatchObject({ is_public: true, events: ["all"] });
});

it("boxes, lists and numbers get the values of the call", () => {
  const fields = [
    ["name", "News"],
    ["count", "7"],
    ["is_public", "on"],
    ["event", "a"],
    ["event", "b"],
  ];
  expect(read(form(fields))).toMatchObject({ count: 7, is_public: true, events: ["a", "b"] });
  expect(inputOf(Call)(form({ name: "News", is_public: "false" }))).toMatchObject({ is_public: false });
});
