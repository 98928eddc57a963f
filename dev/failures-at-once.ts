import path from "node:path";
import type { Reporter, TestCase, TestModule, TestSpecification, Vitest } from "vitest/node";
import { ROOT } from "./layout.ts";

declare module "vitest" {
  interface TaskMeta {
    /** Lines that were logged while a file ran. */
    log?: readonly string[];
    /** Figures of a file, which are printed after it also when it passes. */
    report?: string;
  }
}

/**
 * A vitest reporter that prints, when a test fails, why; and after its file what repeats the run, the files that ran before it,
 * and the log of that file alone. At the end it prints one line for each failure, since some CI services show only the end.
 */
export default class FailuresAtOnce implements Reporter {
  private readonly started: string[] = [];
  private readonly failures: string[] = [];
  private seed = 0;

  onInit(vitest: Vitest) {
    this.seed = vitest.config.sequence.seed;
  }

  onTestModuleStart(module: TestModule) {
    this.started.push(fileOf(module));
  }

  onTestCaseResult(test: TestCase) {
    const file = fileOf(test.module);
    for (const { stack, message } of test.result().errors ?? []) {
      console.error(`FAILED  ${file}: ${test.fullName}\n${message}\n${stack}\n`);
      this.failures.push(`${file}: ${test.fullName}: ${beginningOf(message)}`);
    }
  }

  onTestModuleEnd(module: TestModule) {
    const { report, log = [] } = module.meta();
    if (report !== undefined) console.log(report);
    if (module.ok()) return;
    const file = fileOf(module);
    for (const { message } of module.errors()) this.failures.push(`${file}: ${beginningOf(message)}`);
    const before = this.started.slice(0, this.started.indexOf(file));
    console.error(`To repeat: npm test -- ${module.project.name} --sequence.seed=${this.seed}`);
    console.error(`To run the file alone: npm test -- ${module.project.name} ${file}`);
    console.error(`The files that started before it, in order: ${before.join(" ") || "none"}`);
    if (log.length > 0) console.error(`The log of ${file}:\n${log.join("\n")}\nEnd of the log of ${file}`);
  }

  onTestRunEnd(_modules: readonly TestModule[], errors: readonly { message: string }[]) {
    const others = errors.map(({ message }) => `outside a test: ${beginningOf(message)}`);
    for (const failure of [...this.failures, ...others]) console.log(`failed: ${failure}`);
  }
}

const fileOf = (module: Pick<TestModule | TestSpecification, "moduleId">) => path.relative(ROOT, module.moduleId);
const beginningOf = (message: string) => message.split("\n", 1).join("").slice(0, 300);
