import type { PartName } from "./engine.ts";
import type { LiquidIssue } from "./issues.ts";

/** The tags that render parts, by the name of the part that they stand in: undefined is the text itself. */
type Tags = ReadonlyMap<string | undefined, readonly PartName[]>;

/**
 * Returns the issue of a text whose parts render each other without end, at the tag of the text that leads to them, or null when
 * none do. `tags`: those of the text and of each part, parsed before.
 */
export function circleIssue(tags: readonly PartName[]): LiquidIssue | null {
  const byPart: Tags = Map.groupBy(tags, ({ token }) => token.file);
  const searched = new Set<string>();
  for (const { name, token } of byPart.get(undefined) ?? []) {
    const circle = findCircle([name], byPart, searched);
    if (!circle) continue;
    const [line = 1, column = 1] = token.getPosition();
    return { line, column, part: null, message: messageOf(circle) };
  }
  return null;
}

/** Returns the names from one part to itself, or null. `path`: the names that lead to its last one. */
function findCircle(path: readonly string[], tags: Tags, searched: Set<string>): readonly string[] | null {
  const name = path.at(-1) ?? "";
  const first = path.indexOf(name);
  if (first < path.length - 1) return path.slice(first);
  if (searched.has(name)) return null;
  searched.add(name);
  for (const next of tags.get(name) ?? []) {
    const circle = findCircle([...path, next.name], tags, searched);
    if (circle) return circle;
  }
  return null;
}

function messageOf([first = "", ...others]: readonly string[]): string {
  if (others.length === 1) return `the template "${first}" renders itself`;
  return `the template "${first}" renders ${others.map((name) => `"${name}"`).join(", which renders ")}`;
}
