import { describe, expect, it } from "vitest";
import { seal } from "../../../src/lib/secret-box.ts";
import { AddressForms, erasedForm, FIRST_ADDRESS, formsOf } from "../../../src/platform/erased-addresses/forms.ts";
import {
  ERASED_ADDRESSES_PURPOSE,
  erasedKey,
  forgetErasedKey,
  loadErasedKey,
  reloadErasedKey,
} from "../../../src/platform/erased-addresses/key.ts";
import { database } from "../../support/databases.ts";
import { testContext } from "../../support/workspace.ts";

const ADA = "ada@example.org";
const deleteKey = () => database.run("DELETE FROM service_keys");

describe("the forms of an address", () => {
  it("hide it, differ by address, and come before all addresses", () => {
    const form = erasedForm(ADA);
    expect(form).toMatch(/^ #[\w-]{43}$/);
    expect(form < FIRST_ADDRESS && FIRST_ADDRESS < '!"#@example.org').toBe(true);
    expect(erasedForm(ADA)).toBe(form);
    expect(erasedForm("ida@example.org")).not.toBe(form);
    expect(formsOf(ADA)).toEqual([ADA, form]);
  });

  it("are replaced by their address in rows, and the row under the address itself comes last", () => {
    const forms = new AddressForms([ADA, "ida@example.org"]);
    const rows = [
      { email: ADA, n: 1 },
      { email: erasedForm(ADA), n: 2 },
      { email: "ida@example.org", n: 3 },
    ];
    expect(forms.toRows(rows)).toEqual([
      { email: ADA, n: 2 },
      { email: ADA, n: 1 },
      { email: "ida@example.org", n: 3 },
    ]);
  });
});

describe("the key of the hashes", () => {
  it("is random, is made once by isolates that start at once, and is not stored as it is", async () => {
    const before = erasedKey().toString("base64");
    await deleteKey();
    await Promise.all(Array.from({ length: 5 }, () => reloadErasedKey(testContext())));
    const made = erasedKey().toString("base64");
    expect(made).not.toBe(before);
    const results = await database.rows("SELECT * FROM service_keys");
    expect(results).toMatchObject([{ name: "erased-addresses" }]);
    expect(JSON.stringify(results)).not.toContain(made);
    forgetErasedKey();
    await loadErasedKey(testContext());
    expect(erasedKey().toString("base64")).toBe(made);
  });

  it("is read once in an isolate", async () => {
    await deleteKey();
    await loadErasedKey(testContext());
    const results = await database.rows("SELECT * FROM service_keys");
    expect(results).toEqual([]);
    await reloadErasedKey(testContext());
  });

  it("that cannot be opened leaves no hash, so that no erased person passes for another one", async () => {
    const { masterKeys } = testContext({ MASTER_KEYS: `9:${btoa("x".repeat(32))}` }).settings;
    const sealed = await seal(masterKeys, ERASED_ADDRESSES_PURPOSE, "erased-addresses", new Uint8Array(32));
    await database.run("UPDATE service_keys SET secret = ?1", [sealed]);
    forgetErasedKey();
    await loadErasedKey(testContext());
    expect(() => formsOf(ADA)).toThrow("not loaded");
    await deleteKey();
    await loadErasedKey(testContext());
    expect(formsOf(ADA)).toHaveLength(2);
  });
});
