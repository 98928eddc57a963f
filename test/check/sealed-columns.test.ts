import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

const root = path.join(import.meta.dirname, "../..");

/** Files that encrypt what is not kept: the rotation itself, a cookie, and links that are valid for days at most. */
const EXCEPTIONS = [
  "src/mailboxes/forwards/file-link.ts",
  "src/lib/secret-box.ts",
  "src/lib/sealed-links.ts",
  "src/operations/secret-rotation/rewrap.ts",
  "src/identity/sign-ins/providers/state.ts",
];

it("the rotation of the master key knows every encrypted column", () => {
  const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "src"], { cwd: root })
    .toString()
    .split("\n")
    .filter((file) => file.endsWith(".ts") && !EXCEPTIONS.includes(file));
  const read = (file: string) => readFileSync(path.join(root, file), "utf8");
  const purposes = files.flatMap((file) =>
    [...read(file).matchAll(/\bseal\(\s*[\w.]+,\s*(\w+)/g)].map(([, name]) => name),
  );
  const listed = [...read("src/operations/secret-rotation/sealed-columns.ts").matchAll(/purpose: (\w+)/g)].map(
    ([, name]) => name,
  );
  expect(purposes.length).toBeGreaterThan(2);
  expect([...new Set(purposes)].sort()).toEqual([...new Set(listed.filter((name) => name !== "string"))].sort());
});
