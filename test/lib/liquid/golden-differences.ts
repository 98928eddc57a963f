/** The cases of golden.json whose result is another one here, with what is rendered (null: the text is refused) and why. */
interface Difference {
  why: string;
  renders: Record<string, string | null>;
}

const row = (n: number, ...cells: string[]) =>
  `<tr class="row${n}">${cells.map((cell, index) => `<td class="col${index + 1}">${cell}</td>`).join("")}</tr>`;

const DIFFERENCES: Difference[] = [
  {
    why: "There is no `include`: parts are frozen when a send begins, and read only what they are given.",
    renders: { "include: counter from outer scope": null, "include: some keyword arguments": null },
  },
  {
    why: "A list or an object is written as its JSON; a filter of lists makes a list of a missing value (docs/contract/templates.md#liquid).",
    renders: {
      "slice: undefined left value": "[]",
      "where: left value is not an array": "[]",
      "where: left value is undefined": "[]",
      "where: first argument is undefined": "[]",
      "default: empty object": "{}",
      "replace: left value is an object": "[object Object]",
    },
  },
  {
    why: "liquidjs renders blocks of whitespace, and no line breaks in a table.",
    renders: {
      "for: blank empty loops": "  ".repeat(11),
      "if: blocks that contain only whitespace are not rendered": "  ",
      "unless: blocks that contain only whitespace are not rendered": "  ",
      "tablerow: one row": row(1, "tag1", "tag2", "tag3", "tag4"),
      "tablerow: one row with limit": row(1, "tag1", "tag2"),
      "tablerow: two columns": row(1, "tag1", "tag2") + row(2, "tag3", "tag4"),
      "tablerow: two column odd range row numbers": row(1, "1 1", "2 1") + row(2, "3 2", "4 2") + row(3, "5 3"),
    },
  },
  {
    why: "liquidjs has no `parentloop`, and no variable of the part's name for `render … for` without `as`.",
    renders: {
      "for: access parentloop": "1 1  1 1 2  2 2 1  1 2 2  2 ",
      "render: bound array variable": "",
      "render: forloop helper": "Product:  first index:1 Product:  last index:2 ",
    },
  },
  {
    why: "liquidjs has the numbers, equality and operators of JavaScript, and `not`.",
    renders: {
      "for: loop over range with float start": "2.43.44.45.4",
      "default: 0.0 is not falsy": "0",
      "if: string greater than int": "true",
      "if: array contains false": "TRUE",
      "if: array contains nil": "TRUE",
      "if: startswith is not a valid operator": "TRUE",
      "if: haskey is not a valid operator": "TRUE",
      "if: not is not a valid operator": "TRUE",
      "where: value is explicit nil": "(b,)",
      "replace: undefined first argument": "T#a#k#e# #m#y# #p#r#o#t#e#i#n",
    },
  },
  {
    why: "liquidjs refuses a second `else`, words after it, and a named argument before others; `case` takes one `else` and each `when` once.",
    renders: {
      "if: else tag expressions are ignored": null,
      "if: extra else blocks are ignored": null,
      "default: false keyword argument before positional": null,
      "case: evaluate multiple matching blocks": "foobar",
      "case: multiple else blocks": "bar",
      "cycle: named with different items": "172",
    },
  },
  {
    why: "liquidjs takes a missing argument as its default, and leaves out one too many.",
    renders: {
      "case: empty when tag": "",
      "slice: first argument not an integer": "h",
      "slice: missing arguments": "h",
      "slice: too many arguments": "el",
      "default: too many arguments": "foo",
      "date: missing argument": "Monday, March 14, 2016 at 12:00 am +0000",
      "date: undefined argument": "Monday, March 14, 2016 at 12:00 am +0000",
      "truncate: too many arguments": "hello",
      "truncate: undefined first argument": "Ground control to Major Tom.",
      "truncate: undefined second argument": "Ground control to...",
      "replace: missing arguments": "hello",
      "replace: too many arguments": "hello",
    },
  },
];

/** The results here, by group and name. */
export const different: ReadonlyMap<string, string | null> = new Map(
  DIFFERENCES.flatMap(({ renders }) => Object.entries(renders)),
);
