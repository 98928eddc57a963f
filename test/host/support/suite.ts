/** Objects that exist during the tests of a file or suite, in place of a variable that a hook assigns and another one ends. */
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll } from "vitest";

/**
 * Returns an object that is a copy of what `start` has returned before the tests of the file or suite. Its method `stop` or `close`, if it
 * has one, is called after them. A class with private fields cannot be copied.
 */
export function perSuite<Started extends object & { then?: never }>(start: () => Started | Promise<Started>): Started {
  const copy = {} as Started;
  beforeAll(async () => void Object.assign(copy, await start()));
  afterAll(async () => {
    for (const name of ["stop", "close"]) await (Reflect.get(copy, name) as (() => unknown) | undefined)?.call(copy);
  });
  return copy;
}

/** Returns a new folder, which is deleted after the tests of the file or suite. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "email-delivery-test-"));
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
