import { copyIcons } from "../src/http/ui/copy-icons.ts";
import { element } from "./elements.ts";

/** For how long a button says that it has copied, in ms. */
const SHOWN_MS = 2_000;

/** Adds a button to each element with `data-copy`, which copies its text, or the value of the attribute. */
export function addCopyButtons(root: ParentNode): void {
  for (const source of root.querySelectorAll<HTMLElement>("[data-copy]")) {
    const text = source.dataset.copy || (source.textContent ?? "").trim();
    const button = element("button", { type: "button", className: "copy" }, icon("copy"));
    button.title = `Copy ${source.dataset.what ?? source.ariaLabel ?? ""}`.trim();
    button.setAttribute("aria-label", button.title);
    button.addEventListener("click", async () => {
      const isCopied = await navigator.clipboard.writeText(text).then(
        () => true,
        () => false,
      );
      button.replaceChildren(...(isCopied ? [icon("check"), "Copied"] : ["Select and copy it"]));
      setTimeout(() => button.replaceChildren(icon("copy")), SHOWN_MS);
    });
    const status = element("span", { className: "copying" }, button);
    status.setAttribute("aria-live", "polite");
    if (source.tagName === "SECTION") source.before(status);
    else source.append(" ", status);
  }
}

function icon(name: keyof typeof copyIcons): SVGElement {
  const drawing = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  drawing.setAttribute("class", "icon");
  drawing.setAttribute("viewBox", "0 0 16 16");
  drawing.setAttribute("aria-hidden", "true");
  const line = document.createElementNS(drawing.namespaceURI, "path");
  line.setAttribute("d", copyIcons[name]);
  drawing.append(line);
  return drawing;
}

/** Makes each link with `data-copy-from` copy the text that it leads to. Where that fails it opens it. */
export function copyLinkedTexts(): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>("a[data-copy-from]")) {
    const label = link.textContent;
    link.textContent = "Copy as Markdown";
    link.addEventListener("click", async (event) => {
      if (event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      const text = fetch(link.href).then((response) => response.text());
      const isCopied = await text
        .then((copied) => navigator.clipboard.writeText(copied))
        .then(
          () => true,
          () => false,
        );
      if (!isCopied) location.href = link.href;
      link.textContent = isCopied ? "Copied" : label;
      setTimeout(() => {
        link.textContent = "Copy as Markdown";
      }, SHOWN_MS);
    });
  }
}
