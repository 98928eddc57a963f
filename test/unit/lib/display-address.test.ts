import { expect, it } from "vitest";
import { parseDisplayAddress } from "../../../src/lib/display-address.ts";

it.each([
  ["a@example.com", "a@example.com", null],
  [" Ada <A@Example.com> ", "A@example.com", "Ada"],
  ["<a@example.com>", "a@example.com", null],
  ['"Shop, Inc. \\"x\\"" <a@example.com>', "a@example.com", 'Shop, Inc. "x"'],
  ["Größe 😀 <a@bücher.example>", "a@xn--bcher-kva.example", "Größe 😀"],
  ["a@example.com <a@example.com>", "a@example.com", "a@example.com"],
])("%j is the address %j with the name %j", (text, address, name) => {
  expect(parseDisplayAddress(text)).toMatchObject({ address, name });
});

it.each([
  "",
  "a",
  "Ada",
  "Ada <>",
  "Ada <a>",
  "a@example.com>",
  "Ada a@example.com",
  "ceo@bank.example <a@example.com>",
  "A\r\nBcc: b@example.com <a@example.com>",
  '"Ada <a@example.com>',
  'A"da <a@example.com>',
  `${"n".repeat(321)} <a@example.com>`,
])("%j is no address", (text) => expect(parseDisplayAddress(text)).toBeNull());
