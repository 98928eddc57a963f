import { createRequire } from "node:module";
import { domainToASCII } from "node:url";

/** The rules as tldts stores them: a tree of labels from the right, flattened into arrays. A flag above 0 ends a rule. */
interface Tree {
  nodeFlags: Uint8Array;
  /** First edge of each node; its last edge comes before the first one of the next node. */
  edgeStart: Uint16Array;
  edgeLength: Uint8Array;
  edgeChild: Uint16Array;
  /** The labels of all edges, one after the other. */
  labelText: string;
  rulesRoot: number;
  exceptionsRoot: number;
}

/**
 * Returns the Public Suffix List, private section included, with one rule a line, sorted, in A-labels: `*.` before a wildcard,
 * `!` before an exception. It begins and ends with a line break, so that a rule can be searched for as a whole line.
 * Source: https://publicsuffix.org/list/, as the pinned version of tldts has it.
 */
export function publicSuffixList(): string {
  const tree = createRequire(import.meta.url)("tldts/dist/cjs/src/data/trie.js") as Tree;
  const labels = labelsOf(tree);
  const rules = [
    ...rulesBelow(tree, labels, tree.rulesRoot, ""),
    ...rulesBelow(tree, labels, tree.exceptionsRoot, "").map((name) => `!${name}`),
  ];
  return `\n${[...new Set(rules)].sort().join("\n")}\n`;
}

/** Returns the label of each edge as an A-label, which tldts has beside each U-label. */
function labelsOf({ labelText, edgeLength }: Tree): string[] {
  let offset = 0;
  return Array.from(edgeLength, (length) => {
    const label = labelText.slice(offset, offset + length);
    offset += length;
    // Of an ASCII label, domainToASCII would make an IPv4 address when it is a number.
    return /^[ -~]*$/.test(label) ? label : domainToASCII(label);
  });
}

function rulesBelow(tree: Tree, labels: string[], node: number, name: string): string[] {
  const rules: string[] = [];
  for (let edge = tree.edgeStart[node] ?? 0; edge < (tree.edgeStart[node + 1] ?? 0); edge += 1) {
    const below = name === "" ? `${labels[edge]}` : `${labels[edge]}.${name}`;
    const child = tree.edgeChild[edge] ?? 0;
    if ((tree.nodeFlags[child] ?? 0) > 0) rules.push(below);
    rules.push(...rulesBelow(tree, labels, child, below));
  }
  return rules;
}
