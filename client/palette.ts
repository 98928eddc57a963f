import { element, isTyping } from "./elements.ts";

/** Quiet time before what is typed is searched for, in ms. */
const DELAY_MS = 200;

/**
 * Opens a list of the pages by Ctrl or Cmd and K, which narrows as one types and adds what a search has found. The key `/` puts the
 * focus into the search field of all pages, or opens the list where the window is too narrow for that.
 */
export function listenForPalette(): void {
  const field = document.querySelector<HTMLInputElement>("[data-find]");
  if (!field) return;
  document.addEventListener("keydown", (event) => {
    const isPalette = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey;
    const isSlash = event.key === "/" && !event.ctrlKey && !event.metaKey && !isTyping(event.target);
    if (!(isPalette || isSlash) || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    if (isSlash && field.checkVisibility()) field.focus();
    else open(field.form?.action ?? "");
  });
}

/** Opens the list. `search`: URL of the page that searches. */
function open(search: string): void {
  const input = element("input", {
    type: "search",
    placeholder: "Go to a page, or find anything",
    ariaLabel: "Find anything",
  });
  const list = element("ul");
  const dialog = element("dialog", { className: "palette" }, input, list);
  dialog.setAttribute("aria-label", "Find anything");
  const pages = ["#menu a", "#account a", "#contents a"].flatMap((links) => [
    ...document.querySelectorAll<HTMLAnchorElement>(links),
  ]);
  const known = new Set(pages.map(({ href }) => href));
  let timer = 0;
  const show = (found: readonly HTMLAnchorElement[] = []) => {
    const text = input.value.trim();
    const matching = pages.filter(({ textContent }) => textContent?.toLowerCase().includes(text.toLowerCase()));
    const links = [...matching, ...found.filter(({ href }) => !known.has(href))].map((link) => link.cloneNode(true));
    const href = `${search}?${new URLSearchParams({ q: text })}`;
    if (text !== "") links.push(element("a", { href, textContent: `Find “${text}” everywhere` }));
    list.replaceChildren(...links.map((link) => element("li", {}, link)));
  };
  input.addEventListener("input", () => {
    const text = input.value.trim();
    show();
    clearTimeout(timer);
    if (text === "") return;
    timer = setTimeout(async () => {
      const found = await find(search, text);
      if (input.value.trim() === text) show(found);
    }, DELAY_MS);
  });
  dialog.addEventListener("keydown", (event) => move(event, input, list));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  show();
  dialog.showModal();
}

/** Enter in the field opens the first link. The arrow keys move through them. */
function move(event: KeyboardEvent, input: HTMLInputElement, list: HTMLElement): void {
  const links = [...list.querySelectorAll("a")];
  const at = links.indexOf(document.activeElement as HTMLAnchorElement);
  const next = { ArrowDown: at + 1, ArrowUp: at - 1 }[event.key];
  if (event.key === "Enter" && at < 0) links[0]?.click();
  else if (next === undefined) return;
  else (links[next] ?? input).focus();
  event.preventDefault();
}

/** Returns the links that the search page has for a text, or none when it cannot be read. */
async function find(search: string, text: string): Promise<HTMLAnchorElement[]> {
  const response = await fetch(`${search}?${new URLSearchParams({ q: text })}`).catch(() => null);
  if (!response?.ok || response.redirected) return [];
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  return [...page.querySelectorAll<HTMLAnchorElement>("[data-found] li > a")];
}
