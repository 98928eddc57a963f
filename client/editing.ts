/**
 * Adds, moves and removes the blocks of a form with `data-editor` without loading its page: the form is posted as the button would,
 * and the blocks of the response replace those of the page. What the response marks gets the focus, and screen readers say what
 * has changed. When there is no such response, as after the end of a session, the form is submitted as without scripts.
 */
export function editBlocks(): void {
  const form = document.querySelector<HTMLFormElement>("form[data-editor]");
  let isPlain = false;
  form?.addEventListener("submit", async (event) => {
    const button = event.submitter as HTMLButtonElement | null;
    const blocks = document.getElementById("blocks");
    if (isPlain || !button || !blocks?.contains(button)) return;
    event.preventDefault();
    const body = new URLSearchParams([...new FormData(form, button)].map(([name, value]) => [name, String(value)]));
    // Text that is typed until the response is here would be lost.
    blocks.inert = true;
    const fresh = await post(form, body);
    if (fresh) replace(form, blocks, fresh);
    else {
      blocks.inert = false;
      isPlain = true;
      form.requestSubmit(button);
    }
  });
}

async function post(form: HTMLFormElement, body: URLSearchParams): Promise<HTMLElement | null> {
  // Not `form.action`: that is the buttons of this name.
  const response = await fetch(form.getAttribute("action") ?? "", { method: "POST", body }).catch(() => null);
  if (!response?.ok || response.redirected) return null;
  return new DOMParser().parseFromString(await response.text(), "text/html").getElementById("blocks");
}

function replace(form: HTMLFormElement, blocks: HTMLElement, fresh: HTMLElement): void {
  const adopted = document.adoptNode(fresh);
  blocks.replaceWith(adopted);
  form.dataset.changed = "";
  adopted.querySelector<HTMLElement>("[autofocus]")?.focus();
  const status = form.querySelector("[data-said-here]");
  if (status) status.textContent = adopted.dataset.said ?? "";
  form.dispatchEvent(new Event("input"));
}
