import { element } from "./elements.ts";

const boxesOf = (form: HTMLFormElement) => [
  ...form.querySelectorAll<HTMLInputElement>(`input[type=checkbox][name=${form.dataset.select}]`),
];

/** Adds a checkbox that selects all rows to each form with `data-select`, and selects a range when Shift is held. */
export function addSelectAll(root: ParentNode): void {
  for (const form of root.querySelectorAll<HTMLFormElement>("form[data-select]")) {
    const place = form.querySelector("[data-select-all]");
    if (!place || place.firstChild) continue;
    const all = element("input", { type: "checkbox" });
    all.setAttribute("aria-label", "Select all");
    const count = element("span", { className: "soft" });
    count.setAttribute("aria-live", "polite");
    place.append(element("label", { className: "choice" }, all, count));
    let last: HTMLInputElement | null = null;
    const show = () => {
      const boxes = boxesOf(form);
      const checked = boxes.filter((box) => box.checked).length;
      all.checked = checked > 0 && checked === boxes.length;
      all.indeterminate = checked > 0 && !all.checked;
      count.textContent = checked === 0 ? "Select all" : `${checked} selected`;
    };
    all.addEventListener("change", () => {
      for (const box of boxesOf(form)) box.checked = all.checked;
      show();
    });
    form.addEventListener("click", (event) => {
      const boxes = boxesOf(form);
      const box = boxes.find((one) => one === event.target);
      if (!box) return;
      if (event.shiftKey && last) {
        const [from = 0, to = 0] = [boxes.indexOf(last), boxes.indexOf(box)].sort((a, b) => a - b);
        for (const one of boxes.slice(from, to + 1)) one.checked = box.checked;
      }
      last = box;
      show();
    });
    form.addEventListener("change", show);
    document.addEventListener("refreshed", show);
    show();
  }
}
