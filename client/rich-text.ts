import type { Editor } from "./editor.ts";

/** Name in the local storage of the format that was chosen last. */
const SETTING = "webmail-format";

type Mode = "rich" | "plain";

/** Lets each text with `data-editor` be edited with its formatting, by the editor that this attribute names, or as plain text. */
export function openEditors(): void {
  for (const place of document.querySelectorAll<HTMLElement>("[data-editor]")) prepare(place);
}

function prepare(place: HTMLElement): void {
  const buttons = [...place.querySelectorAll<HTMLButtonElement>("[data-mode]")];
  let editor: Promise<Editor | null> | null = null;
  const load = () => {
    editor ??= import(place.dataset.editor ?? "").then(
      (asset: typeof import("./editor.ts")) => asset.openEditor(place),
      () => null,
    );
    return editor;
  };
  const show = async (wanted: Mode) => {
    const loaded = wanted === "rich" ? await load() : await editor;
    // Without the editor the plain field stays, and the button tries again.
    if (!loaded) editor = null;
    const mode = loaded ? wanted : "plain";
    loaded?.[mode]();
    place.dataset.shown = mode;
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.mode === mode));
  };
  for (const button of buttons)
    button.addEventListener("click", async () => {
      const mode = button.dataset.mode as Mode;
      localStorage.setItem(SETTING, mode);
      await show(mode);
      // A draft is stored in the format that was chosen.
      place.dispatchEvent(new Event("input", { bubbles: true }));
    });
  place.querySelector("[data-off]")?.removeAttribute("data-off");
  const preferred = localStorage.getItem(SETTING) === "plain" ? "plain" : "rich";
  void show(place.dataset.format === "rich" || place.dataset.format === "plain" ? place.dataset.format : preferred);
}
