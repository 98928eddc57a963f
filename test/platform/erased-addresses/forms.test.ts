import { describe, expect, it } from "vitest";
import { AddressForms, erasedForm, FIRST_ADDRESS, formsOf } from "../../../src/platform/erased-addresses/index.ts";
import { testContext } from "../../support/workspace.ts";

const keyOf = (byte: number) => btoa(String.fromCharCode(byte).repeat(32));
const contextWith = (...versions: number[]) =>
  testContext({ MASTER_KEYS: versions.map((version) => `${version}:${keyOf(version)}`).join() });

describe("the forms of an address", () => {
  it("hide it, differ by address and master key, and come before all addresses", () => {
    const [one, two] = [contextWith(1), contextWith(2)];
    const form = erasedForm(one, "ada@example.org");
    expect(form).toMatch(/^ #1\.[\w-]{43}$/);
    expect(form < FIRST_ADDRESS && FIRST_ADDRESS < '!"#@example.org').toBe(true);
    expect(erasedForm(one, "ada@example.org")).toBe(form);
    expect(erasedForm(one, "ida@example.org")).not.toBe(form);
    expect(erasedForm(two, "ada@example.org").slice(4)).not.toBe(form.slice(4));
  });

  it("are found under each master key that is left, and written under the newest", () => {
    const old = erasedForm(contextWith(1), "ada@example.org");
    const both = contextWith(1, 2);
    expect(formsOf(both, "ada@example.org")).toEqual(["ada@example.org", old, erasedForm(both, "ada@example.org")]);
    expect(erasedForm(both, "ada@example.org")).toBe(erasedForm(contextWith(2), "ada@example.org"));
  });

  it("are replaced by their address in rows, and the row under the address itself comes last", () => {
    const ctx = contextWith(1);
    const form = erasedForm(ctx, "ada@example.org");
    const forms = new AddressForms(ctx, ["ada@example.org", "ida@example.org"]);
    const rows = [
      { email: "ada@example.org", n: 1 },
      { email: form, n: 2 },
      { email: "ida@example.org", n: 3 },
    ];
    expect(forms.toRows(rows)).toEqual([
      { email: "ada@example.org", n: 2 },
      { email: "ada@example.org", n: 1 },
      { email: "ida@example.org", n: 3 },
    ]);
  });
});
