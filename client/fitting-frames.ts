/** Greatest height of the frame of a message, in px. A longer one scrolls. */
const MAX_HEIGHT = 20_000;

/** Makes the frames of messages as high as their content. Their documents run no script, so only this page can read that. */
export function fitFrames(): void {
  // Frames of folded messages load later, and messages that arrive bring new ones.
  document.addEventListener("load", ({ target }) => adjust(target), true);
  // A frame that a folded message has hidden had no height.
  document.addEventListener("toggle", ({ target }) => adjustIn(target as Element), true);
  window.addEventListener("resize", () => adjustIn(document));
  adjustIn(document);
}

const adjustIn = (root: ParentNode) => root.querySelectorAll("iframe.mail").forEach(adjust);

function adjust(frame: unknown): void {
  if (!(frame instanceof HTMLIFrameElement) || !frame.matches("iframe.mail") || frame.offsetWidth === 0) return;
  const page = frame.contentDocument;
  if (page?.readyState !== "complete" || page.URL === "about:blank") return;
  frame.style.height = "0";
  const height = Math.max(page.documentElement.scrollHeight, page.body?.scrollHeight ?? 0);
  frame.style.height = `${Math.min(height + 24, MAX_HEIGHT)}px`;
  // An image that was left out has no address.
  const hint = frame.parentElement?.querySelector<HTMLElement>("[data-images-off]");
  if (hint) hint.hidden = page.querySelector("img:not([src])") === null;
}
