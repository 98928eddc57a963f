import { describe, expect, it } from "vitest";
import { quoteName, readerOf } from "../../src/platform/service-mail/rules.ts";

describe("the reader of an address", () => {
  it.each([
    ["Ada+news@Example.org", "ada@example.org"],
    ["a.d.a+x@gmail.com", "ada@gmail.com"],
    ["a.da@googlemail.com", "ada@gmail.com"],
    ["a.da@example.org", "a.da@example.org"],
  ])("of %s is that of %s", (address, reader) => {
    expect(readerOf(address)).toBe(reader);
  });
});

it.each([
  ["Example Shop", '"Example Shop"'],
  ["Acme Inc.", '"Acme Inc."'],
  ["https://evil.example/win", '"https:// evil. example/ win"'],
  ["pay@evil.example", '"pay@ evil. example"'],
])("a name is quoted so that no program makes a link of it: %s", (name, quoted) => {
  expect(quoteName(name)).toBe(quoted);
});
