/** Name in the local storage of the language in which the reference shows its examples. */
const SETTING = "reference-language";

/** Keeps the language of the examples of the API reference from page to page. */
export function keepLanguage(): void {
  const choices = [...document.querySelectorAll<HTMLInputElement>(".languages input")];
  const kept = choices.find(({ value }) => value === localStorage.getItem(SETTING));
  if (kept) kept.checked = true;
  for (const choice of choices) choice.addEventListener("change", () => localStorage.setItem(SETTING, choice.value));
}
