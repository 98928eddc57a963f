/** Name in the session storage of the rows of the last list, and of those to which the focus returns, the first that exists. */
const [ROWS, RETURN] = ["webmail-rows", "webmail-return"];

/**
 * Keeps the place in a list after an action, as it ends in a new page: the row that was changed has the focus again, or when it has
 * left the list, the one after it. An action on an open conversation returns to the place that it has in the list.
 */
export function keepPlace(): void {
  const list = document.querySelector("ul.messages");
  if (list && document.querySelector("[data-return]")) focusFirst(read(RETURN));
  if (list) {
    keepRows();
    document.addEventListener("refreshed", keepRows);
  }
  document.addEventListener("submit", ({ target }) => {
    const acted = [...(target as HTMLFormElement).elements].flatMap(rowOf);
    if (acted.length > 0) sessionStorage.setItem(RETURN, JSON.stringify(order(read(ROWS), acted)));
  });
}

const read = (name: string) => JSON.parse(sessionStorage.getItem(name) ?? "[]") as string[];
const keepRows = () =>
  sessionStorage.setItem(ROWS, JSON.stringify([...document.querySelectorAll("ul.messages > li")].map(({ id }) => id)));

/** Returns the row that a field of a form selects. */
function rowOf(field: Element): string[] {
  if (!(field instanceof HTMLInputElement)) return [];
  const row = field.checked ? field.closest("ul.messages > li")?.id : field.dataset.row;
  return row === undefined ? [] : [row];
}

/** Returns the changed rows, then those after the last of them, then those before it from the nearest on. */
function order(rows: readonly string[], acted: readonly string[]): string[] {
  const last = Math.max(...acted.map((row) => rows.indexOf(row)));
  const others = [...rows.slice(last + 1), ...rows.slice(0, Math.max(last, 0)).reverse()];
  return [...acted, ...others.filter((row) => !acted.includes(row))];
}

function focusFirst(ids: readonly string[]): void {
  const row = ids.map((id) => document.getElementById(id)).find((element) => element !== null);
  row?.querySelector("a")?.focus();
}
