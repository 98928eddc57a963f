import type Squire from "squire-rte";
import { askForLink } from "./linking.ts";

interface Format {
  /** The element whose presence shows that the text at the cursor has the format. */
  tag: string;
  add(editor: Squire): unknown;
  remove(editor: Squire): unknown;
}

/** By the `data-do` of the buttons (src/web/webmail/rich-text.tsx). */
const FORMATS: Readonly<Record<string, Format>> = {
  bold: { tag: "B", add: (editor) => editor.bold(), remove: (editor) => editor.removeBold() },
  italic: { tag: "I", add: (editor) => editor.italic(), remove: (editor) => editor.removeItalic() },
  underline: { tag: "U", add: (editor) => editor.underline(), remove: (editor) => editor.removeUnderline() },
  link: { tag: "A", add: askForLink, remove: askForLink },
  bullets: { tag: "UL", add: (editor) => editor.makeUnorderedList(), remove: (editor) => editor.removeList() },
  numbers: { tag: "OL", add: (editor) => editor.makeOrderedList(), remove: (editor) => editor.removeList() },
  quote: {
    tag: "BLOCKQUOTE",
    add: (editor) => editor.increaseQuoteLevel(),
    remove: (editor) => editor.decreaseQuoteLevel(),
  },
};

/** Connects the buttons of a text with its editor. The key of a link is Ctrl or Cmd and K; the editor has the others itself. */
export function addFormatting(editor: Squire, place: HTMLElement): void {
  const bar = place.querySelector("[role=toolbar]");
  const buttons = [...(bar?.querySelectorAll<HTMLButtonElement>("[data-do]") ?? [])];
  const showState = () => {
    for (const button of buttons) {
      const format = FORMATS[button.dataset.do ?? ""];
      if (format) button.setAttribute("aria-pressed", String(editor.hasFormat(format.tag)));
    }
  };
  for (const name of ["pathChange", "select", "input"]) editor.addEventListener(name, showState);
  for (const button of buttons) {
    // The selection stays while a button is pressed.
    button.addEventListener("mousedown", (event) => event.preventDefault());
    button.addEventListener("click", () => {
      apply(editor, FORMATS[button.dataset.do ?? ""]);
      showState();
    });
  }
  for (const key of ["Ctrl-k", "Meta-k"])
    editor.setKeyHandler(key, (_editor, event) => {
      event.preventDefault();
      askForLink(editor);
    });
  bar?.addEventListener("keydown", (event) => move(event as KeyboardEvent, buttons));
}

/** Begins a new line without the formats that were switched off at the end of the line before, which the editor takes up again. */
export function keepFormats(editor: Squire): void {
  const inline = [FORMATS.bold, FORMATS.italic, FORMATS.underline].filter((format) => format !== undefined);
  const split = editor.splitBlock.bind(editor);
  editor.splitBlock = (isBreakOnly, range) => {
    const off = inline.filter(({ tag }) => !editor.hasFormat(tag));
    split(isBreakOnly, range);
    for (const format of off) if (editor.hasFormat(format.tag)) format.remove(editor);
    return editor;
  };
}

function apply(editor: Squire, format: Format | undefined): void {
  if (!format) editor.removeAllFormatting();
  else if (editor.hasFormat(format.tag)) format.remove(editor);
  else format.add(editor);
  if (format?.tag !== "A") editor.focus();
}

/** Moves the focus among the buttons by the arrow keys, Home and End, since Tab stops at one of them only. */
function move(event: KeyboardEvent, buttons: readonly HTMLButtonElement[]): void {
  const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
  const last = buttons.length - 1;
  const next = { ArrowRight: at === last ? 0 : at + 1, ArrowLeft: at === 0 ? last : at - 1, Home: 0, End: last }[
    event.key
  ];
  const button = next === undefined ? undefined : buttons[next];
  if (!button) return;
  event.preventDefault();
  for (const other of buttons) other.tabIndex = other === button ? 0 : -1;
  button.focus();
}
