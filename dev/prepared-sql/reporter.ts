import { writeFileSync } from "node:fs";
import type { Reporter, TestModule } from "vitest/node";
import type { Prepared } from "./record.ts";

/** A vitest reporter that writes what the tests have prepared into the file that the variable PREPARED_SQL names. */
export default class PreparedSql implements Reporter {
  private readonly statements = new Map<string, Prepared["statements"][number]>();
  private readonly places = new Set<string>();

  onTestModuleEnd(module: TestModule) {
    const { statements = [], places = [] } = module.meta().prepared ?? {};
    for (const one of statements) this.statements.set(JSON.stringify(one), one);
    for (const place of places) this.places.add(place);
  }

  onTestRunEnd() {
    const prepared: Prepared = { statements: [...this.statements.values()], places: [...this.places] };
    const file = process.env.PREPARED_SQL;
    if (file !== undefined) writeFileSync(file, JSON.stringify(prepared));
  }
}
