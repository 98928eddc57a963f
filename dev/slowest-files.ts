import path from "node:path";
import type { Reporter, TestModule } from "vitest/node";
import { ROOT } from "./layout.ts";

/** How many files the table shows. */
const SHOWN = 30;

/** A vitest reporter that prints the test files that took longest. Vitest's own reports leave out imports and hooks. */
export default class SlowestFiles implements Reporter {
  private readonly startedAt = new Map<string, number>();
  private readonly seconds = new Map<string, number>();

  onTestModuleQueued(module: TestModule) {
    this.startedAt.set(module.id, performance.now());
  }

  onTestModuleEnd(module: TestModule) {
    const startedAt = this.startedAt.get(module.id) ?? performance.now();
    this.seconds.set(nameOf(module), (performance.now() - startedAt) / 1000);
  }

  onTestRunEnd() {
    const files = [...this.seconds].sort(([, a], [, b]) => b - a);
    const total = files.reduce((sum, [, seconds]) => sum + seconds, 0);
    console.log(`\nSlowest of ${files.length} test files, which took ${total.toFixed(0)} s beside each other:`);
    for (const [file, seconds] of files.slice(0, SHOWN)) console.log(`${seconds.toFixed(1).padStart(7)} s  ${file}`);
  }
}

function nameOf(module: TestModule): string {
  return `${module.project.name}  ${path.relative(ROOT, module.moduleId)}`;
}
