/** Reads which folders of src import values from which, and finds import cycles between them. */
import { readFileSync } from "node:fs";
import path from "node:path";

const IMPORT = /(?:import|export)( type)? (\{[^}]*\}|\*[^"]*|\w+)? ?from "(\.[^"]+)"/g;

/** The folders that a folder imports values from, each with the imports as `file -> file`. */
export type ImportGraph = Map<string, Map<string, string[]>>;

/** Returns the area and the folder of a source file. A file of an area without a folder has the area; a file in src itself. */
function folderOf(file: string): string {
  const [, area = "", folder = "", ...rest] = file.split("/");
  return rest.length > 0 && area !== "lib" ? `${area}/${folder}` : area;
}

/** Builds the graph of value imports. `files` are paths from `root`, all in src. Type-only imports are left out. */
export function readImportGraph(root: string, files: readonly string[]): ImportGraph {
  const graph: ImportGraph = new Map();
  for (const file of files) {
    for (const [, isType, names = "", target = ""] of readFileSync(path.join(root, file), "utf8").matchAll(IMPORT)) {
      if (isType || importsTypesOnly(names)) continue;
      const imported = path.posix.join(path.posix.dirname(file), target);
      const [from, to] = [folderOf(file), folderOf(imported)];
      if (from === to) continue;
      const targets = graph.get(from) ?? new Map<string, string[]>();
      graph.set(from, targets.set(to, [...(targets.get(to) ?? []), `${file} -> ${imported}`]));
    }
  }
  return graph;
}

function importsTypesOnly(names: string): boolean {
  if (!names.startsWith("{")) return false;
  const parts = names.slice(1, -1).split(",");
  return parts.every((part) => part.trim() === "" || part.trim().startsWith("type "));
}

/** Returns every import between two folders that can reach each other. Empty if the graph has no cycle. */
export function findCycles(graph: ImportGraph): string[] {
  const reachable = (from: string): Set<string> => {
    const seen = new Set<string>();
    const queue = [from];
    for (let folder = queue.pop(); folder !== undefined; folder = queue.pop()) {
      for (const next of graph.get(folder)?.keys() ?? []) {
        if (seen.has(next)) continue;
        seen.add(next);
        queue.push(next);
      }
    }
    return seen;
  };
  return [...graph].flatMap(([from, targets]) =>
    [...targets].flatMap(([to, imports]) => (reachable(to).has(from) ? imports : [])),
  );
}

/** The areas of src. Each imports only those before it; the files in src itself import all. */
export const AREAS = [
  "lib",
  "mail",
  "platform",
  "access",
  "http",
  "notices",
  "identity",
  "domains",
  "sending",
  "audience",
  "mailboxes",
  "transfers",
  "operations",
  "web",
];

/** Returns the imports, types included, of a later area, as `file -> file`. `files` are paths from `root`, all in src. */
export function findImportsOfLaterAreas(root: string, files: readonly string[]): string[] {
  const rankOf = (file: string) => {
    const [, area = "", ...rest] = file.split("/");
    return rest.length === 0 ? AREAS.length : AREAS.indexOf(area);
  };
  return files.flatMap((file) => {
    const targets = readFileSync(path.join(root, file), "utf8").matchAll(/\b(?:from|import) ?\(?"(\.[^"]+)"/g);
    return [...targets]
      .map(([, target = ""]) => path.posix.join(path.posix.dirname(file), target))
      .filter((target) => target.startsWith("src/") && rankOf(target) > rankOf(file))
      .map((target) => `${file} -> ${target}`);
  });
}
