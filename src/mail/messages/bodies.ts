import type { MessagePart, PartDescription } from "./parts.ts";
import { bounds } from "./rules.ts";

/** The beginning of a part that is shown, encoded. */
export interface ShownPart {
  part: MessagePart;
  head: Uint8Array;
}

/** The parts that are shown as text and as HTML, in their order. Each list may have parts of both types. */
export interface Bodies {
  text: ShownPart[];
  html: ShownPart[];
}

/** A part with those that it contains; a leaf has none. */
interface Node {
  /** Subtype of a multipart, such as `alternative`; null for another part. */
  subtype: string | null;
  /** Null: the node is a multipart. */
  part: MessagePart | null;
  children: Map<string, Node>;
}

/** The two bodies while they are made. Null: parts of the other type have taken the place of this one. */
interface Lists {
  text: MessagePart[] | null;
  html: MessagePart[] | null;
}

/**
 * Collects, while a message is read, what decides which parts are shown, and the beginnings of those that may be. Inline texts follow
 * each other, and an alternative gives each body its own (JMAP, RFC 8621 4.1.4).
 */
export class BodyParts {
  readonly #subtypes = new Map<string, string>();
  readonly #heads = new Map<MessagePart, Uint8Array>();
  readonly #left = { text: bounds.searchBytes as number, html: bounds.searchBytes as number };

  /** Adds a multipart by the prefix of the ids of its parts. */
  addMultipart(prefix: string, type: string): void {
    this.#subtypes.set(prefix, type.slice("multipart/".length));
  }

  /** Returns how many bytes of a part are kept: of all texts together as many as search covers. */
  headBytes({ use }: PartDescription): number {
    return use === "text" || use === "html" ? this.#left[use] : 0;
  }

  /** Adds a part with its beginning. */
  add(part: MessagePart, head: Uint8Array): void {
    if (part.use !== "text" && part.use !== "html") return;
    this.#left[part.use] -= head.length;
    this.#heads.set(part, head);
  }

  /** Marks the parts that are shown, and makes attachments of the other texts. Returns the shown ones. */
  end(parts: readonly MessagePart[]): Bodies {
    const lists = { text: [] as MessagePart[], html: [] as MessagePart[] };
    collect(this.#treeOf(parts), "mixed", false, lists);
    const [text, html] = [lists.text, lists.html].map((list) => new Set(list.slice(0, bounds.shownParts)));
    for (const part of parts) {
      if (part.use !== "text" && part.use !== "html") continue;
      const [inText, inHtml] = [text?.has(part), html?.has(part)];
      if (inText || inHtml) part.shownIn = inText && inHtml ? "both" : inText ? "text" : "html";
      else part.use = "attachment";
    }
    const shown = (list: Set<MessagePart> | undefined) =>
      [...(list ?? [])].map((part) => ({ part, head: this.#heads.get(part) ?? new Uint8Array() }));
    return { text: shown(text), html: shown(html) };
  }

  /** Returns the parts as a tree, which their ids describe. */
  #treeOf(parts: readonly MessagePart[]): Node[] {
    const root: Node = { subtype: this.#subtypes.get("") ?? null, part: null, children: new Map() };
    for (const part of parts) {
      let [node, prefix] = [root, ""];
      for (const number of part.partId.split(".")) {
        prefix += `${number}.`;
        const subtype = this.#subtypes.get(prefix) ?? null;
        const child: Node = node.children.get(number) ?? { subtype, part: null, children: new Map() };
        node.children.set(number, child);
        node = child;
      }
      node.part = part;
    }
    return root.subtype === null ? [...root.children.values()] : [root];
  }
}

/** Adds the shown parts of a multipart to the lists, as JMAP does. Its depth is bounded by that of the message. */
function collect(nodes: readonly Node[], subtype: string, isInAlternative: boolean, lists: Lists): void {
  const { text, html } = lists;
  const before = { text: text?.length ?? -1, html: html?.length ?? -1 };
  // A change of the lists holds for the rest of this multipart.
  const own: Lists = { text, html };
  for (const { subtype: inner, part, children } of nodes) {
    // A multipart without parts is a leaf.
    if (part === null) {
      collect([...children.values()], inner ?? "mixed", isInAlternative || inner === "alternative", { ...own });
      continue;
    }
    if (part.use !== "text" && part.use !== "html") continue;
    if (subtype === "alternative") {
      own[part.use]?.push(part);
      continue;
    }
    const other = part.use === "text" ? "html" : "text";
    // Not where nothing else would show it.
    if (isInAlternative && own[part.use] !== null) own[other] = null;
    own.text?.push(part);
    own.html?.push(part);
  }
  if (subtype !== "alternative" || !text || !html) return;
  const added = { text: text.slice(before.text), html: html.slice(before.html) };
  if (added.text.length === 0) text.push(...added.html);
  else if (added.html.length === 0) html.push(...added.text);
}

/** Returns the parts that are shown as text or as HTML. Of messages of earlier versions, the first of each type. */
export function partsShownIn<Part extends Pick<MessagePart, "use" | "shownIn">>(
  parts: readonly Part[],
  view: "text" | "html",
): Part[] {
  return parts.filter(({ use, shownIn = use }) => shownIn === view || shownIn === "both");
}
