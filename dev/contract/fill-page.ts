/** A generated part of a page: its mark, its text, and the mark of its end. */
const PART = /(<!-- generated: ([a-z-]+) -->\n)[\s\S]*?(<!-- end -->)/g;

/** Returns the names of the generated parts of a page. */
export const partsOf = (page: string) => [...page.matchAll(PART)].map(([, , name = ""]) => name);

/** Returns a page with its generated parts written anew. Throws for a part that no table has. */
export function fillPage(page: string, tables: Readonly<Record<string, () => string>>): string {
  return page.replace(PART, (_, start: string, name: string, end: string) => {
    const write = tables[name];
    if (!write) throw new Error(`No table is called ${name}`);
    return `${start}\n${write()}\n\n${end}`;
  });
}
