import { BaseSequencer, type TestSpecification } from "vitest/node";
import { seeded, shuffled } from "./failures.ts";

/** Files that share an isolate and run before the others, so that none of them is the last one alone. */
const HEAVIEST = 40;

/**
 * Runs the projects one after the other, because a shared isolate ends when a file of another project is next. Files that
 * share an isolate run in random order, the heaviest first, those of the other projects longest first. `--sequence.seed`
 * repeats an order.
 */
export class FileOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const random = seeded(this.ctx.config.sequence.seed);
    const byProject = Map.groupBy(await super.sort(files), ({ project }) => project);
    return [...byProject].flatMap(([{ config }, sorted]) =>
      config.isolate
        ? sorted
        : [...shuffled(sorted.slice(0, HEAVIEST), random), ...shuffled(sorted.slice(HEAVIEST), random)],
    );
  }
}
