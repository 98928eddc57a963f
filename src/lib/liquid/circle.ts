import type { Encoding } from "../placeholders.ts";
import { createEngine, type PartName } from "./engine.ts";
import type { LiquidIssue } from "./issues.ts";

/**
 * Returns the issue of a text whose parts render each other without end, at the tag that leads to them, or null when none do. Each
 * part is parsed once.
 */
export function circleIssue(
  own: readonly PartName[],
  parts: Readonly<Record<string, string>>,
  encoding: Encoding,
): LiquidIssue | null {
  const searched = new Set<string>();
  for (const { name, token } of own) {
    const circle = findCircle([name], parts, encoding, searched);
    if (!circle) continue;
    const [line = 1, column = 1] = token.getPosition();
    return { line, column, part: null, message: messageOf(circle) };
  }
  return null;
}

/** Returns the names from one part to itself, or null. `path`: the names that lead to its last one. */
function findCircle(
  path: readonly string[],
  parts: Readonly<Record<string, string>>,
  encoding: Encoding,
  searched: Set<string>,
): readonly string[] | null {
  const name = path.at(-1) ?? "";
  const first = path.indexOf(name);
  if (first < path.length - 1) return path.slice(first);
  if (searched.has(name)) return null;
  searched.add(name);
  for (const next of namesIn(parts[name] ?? "", encoding)) {
    const circle = findCircle([...path, next], parts, encoding, searched);
    if (circle) return circle;
  }
  return null;
}

function namesIn(text: string, encoding: Encoding): string[] {
  const engine = createEngine(encoding, {});
  try {
    engine.liquid.parse(text);
  } catch {
    // A part with a mistake is refused where it is saved; the names before the mistake count.
  }
  return engine.parts.map(({ name }) => name);
}

function messageOf([first = "", ...others]: readonly string[]): string {
  if (others.length === 1) return `the template "${first}" renders itself`;
  return `the template "${first}" renders ${others.map((name) => `"${name}"`).join(", which renders ")}`;
}
