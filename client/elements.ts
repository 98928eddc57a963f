/** Returns a new element with these properties and children. Text is never parsed as HTML. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/** Returns the field of the forms of a page by which they name its workspace, as text; empty on pages without one. */
export const formPageOf = (page: Document) => page.querySelector<HTMLInputElement>("[name=form_page]")?.value ?? "";

/** Returns whether keys that are pressed now are text for a field. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  const isTextless =
    target instanceof HTMLInputElement && ["checkbox", "radio", "submit", "button"].includes(target.type);
  return target.isContentEditable || (target.matches("input, textarea, select") && !isTextless);
}
