/*! Contains squire-rte 2.4.8, copyright Neil Jenkins, MIT license: https://github.com/neilj/Squire/blob/master/LICENSE */
/** The editor of texts with formatting. It is a file of its own, which only the pages with such a text load. */
import Squire from "squire-rte";
import { HtmlTextWriter } from "../src/lib/html-to-text.ts";
import { textToHtml } from "../src/lib/text-to-html.ts";
import { cleanHtml } from "./cleaning.ts";
import { element } from "./elements.ts";
import { addFormatting, keepFormats } from "./formatting.ts";

/** Greatest plain text that is made of a text with formatting, in characters. */
const MAX_TEXT = 1_500_000;

/** Shows a text in one of its formats. */
export interface Editor {
  rich(): void;
  plain(): void;
}

/** Puts an editor beside the plain field of a text. While it is shown, the form submits its HTML in place of the plain text. */
export function openEditor(place: HTMLElement): Editor {
  const [field, htmlField] = place.querySelectorAll("textarea");
  if (!field || !htmlField) throw new Error("There is no text to edit");
  const root = newRoot(field);
  const squire = new Squire(root, {
    tagAttributes: { blockquote: { type: "cite" } },
    sanitizeToDOMFragment: cleanHtml,
  });
  // Tab leaves the editor, as it leaves any other field, and Page up and Page down scroll.
  for (const key of ["Tab", "Shift-Tab", "PageUp", "PageDown"]) squire.setKeyHandler(key, null);
  keepFormats(squire);
  addFormatting(squire, place);
  // As long as nothing is changed, the texts of the server are those of each other.
  let [same, shown] = [{ text: field.defaultValue, html: htmlField.value }, ""];
  squire.addEventListener("input", () => {
    // So that a form that is not saved by itself has a change.
    htmlField.value = squire.getHTML();
    place.dispatchEvent(new Event("input", { bubbles: true }));
  });
  field.form?.addEventListener("formdata", ({ formData }) => {
    if (!root.hidden) formData.set("html", squire.getHTML());
  });

  return {
    rich() {
      const hadFocus = document.activeElement === field || isFirst(place);
      const typed = field.value === same.text ? null : cursorOf(field);
      const html = field.value === same.text && same.html !== "" ? same.html : textToHtml(field.value);
      squire.setHTML(html);
      shown = squire.getHTML();
      toggle(field, root, true);
      if (hadFocus) moveCursor(squire, root, typed);
    },
    plain() {
      if (root.hidden) return;
      const html = squire.getHTML();
      if (html !== shown || field.value !== same.text) same = { text: textOf(root), html };
      field.value = same.text;
      same.text = field.value;
      toggle(field, root, false);
    },
  };
}

/** Returns the element of the editor, which is labelled and described as the plain field is. */
function newRoot(field: HTMLTextAreaElement): HTMLElement {
  const root = element("div", { className: "editor", hidden: true, role: "textbox", ariaMultiLine: "true" });
  root.setAttribute("aria-label", field.labels[0]?.textContent ?? "");
  const described = field.getAttribute("aria-describedby");
  if (described !== null) root.setAttribute("aria-describedby", described);
  field.labels[0]?.addEventListener("click", () => root.focus());
  field.after(root);
  return root;
}

/** Returns true when the field is to have the focus as soon as the page is loaded. */
function isFirst(place: HTMLElement): boolean {
  const isFirst = place.dataset.autofocus !== undefined && document.activeElement === document.body;
  delete place.dataset.autofocus;
  return isFirst;
}

/** The place of the cursor in a plain text. */
interface Cursor {
  line: number;
  column: number;
}

function cursorOf({ value, selectionStart }: HTMLTextAreaElement): Cursor {
  const before = value.slice(0, selectionStart).split("\n");
  return { line: before.length - 1, column: before.at(-1)?.length ?? 0 };
}

/** Moves the cursor to the start, or to where a text was typed before the editor was loaded: each of its lines is a `div`. */
function moveCursor(squire: Squire, root: HTMLElement, typed: Cursor | null): void {
  squire.focus().moveCursorToStart();
  const line = typed && root.querySelectorAll("div")[typed.line];
  if (!line) return;
  const text = line.firstChild;
  const range = document.createRange();
  if (text instanceof Text) range.setStart(text, Math.min(typed.column, text.length));
  else range.setStart(line, 0);
  squire.setSelection(range);
}

function toggle(field: HTMLTextAreaElement, root: HTMLElement, isRich: boolean): void {
  root.hidden = !isRich;
  field.hidden = isRich;
  // A field that is disabled is neither submitted nor checked.
  field.disabled = isRich;
}

function textOf(root: Node): string {
  const writer = new HtmlTextWriter(MAX_TEXT);
  write(root, writer);
  return writer.end();
}

function write(parent: Node, writer: HtmlTextWriter): void {
  for (const node of parent.childNodes) {
    if (node instanceof Text) writer.text(node.data);
    if (!(node instanceof Element)) continue;
    const name = node.localName;
    writer.open(name, Object.fromEntries([...node.attributes].map(({ name: key, value }) => [key, value])));
    write(node, writer);
    writer.close(name);
  }
}
