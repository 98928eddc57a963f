/** Greatest height of the frame of a message, in px. A longer one scrolls. */
const MAX_HEIGHT = 20_000;

/** Makes the frame of a message as high as its content. Its document runs no script, so only this page can read that. */
export function fitFrames(): void {
  for (const frame of document.querySelectorAll<HTMLIFrameElement>("iframe.mail")) {
    const adjust = () => {
      const root = frame.contentDocument?.documentElement;
      if (!root) return;
      frame.style.height = "0";
      const height = Math.max(root.scrollHeight, frame.contentDocument?.body?.scrollHeight ?? 0);
      frame.style.height = `${Math.min(height + 24, MAX_HEIGHT)}px`;
    };
    frame.addEventListener("load", adjust);
    window.addEventListener("resize", adjust);
    if (frame.contentDocument?.readyState === "complete") adjust();
  }
}
