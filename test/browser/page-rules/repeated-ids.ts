/** Returns the ids that several elements have: a label, an error or a script then means the first of them. */
export function findRepeatedIds(isLeftOut: (element: Element) => boolean): string[] {
  const ids = [...document.querySelectorAll("[id]")].filter((element) => !isLeftOut(element)).map(({ id }) => id);
  return [...new Set(ids.filter((id, index) => ids.indexOf(id) !== index))].map((id) => `${id} is the id of several`);
}
