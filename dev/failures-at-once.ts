import path from "node:path";
import type { Reporter, TestCase } from "vitest/node";
import { ROOT } from "./layout.ts";

/** A vitest reporter that prints why a test failed when it fails: vitest's own report comes at the end, which may be much later. */
export default class FailuresAtOnce implements Reporter {
  onTestCaseResult(test: TestCase) {
    const file = path.relative(ROOT, test.module.moduleId);
    for (const { stack, message } of test.result().errors ?? [])
      console.error(`FAILED  ${file}: ${test.fullName}\n${message}\n${stack}\n`);
  }
}
