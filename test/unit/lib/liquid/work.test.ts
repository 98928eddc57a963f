/**
 * The work that each filter and tag of Liquid counts at large inputs: texts of 1,000,000 characters, lists and objects of 50,000 elements.
 * A filter or tag without a row fails. `over` is more than one rendering may take, which ends before it is done.
 */
import { Token } from "liquidjs/dist/liquid.browser.mjs";
import { describe, expect, it, vi } from "vitest";
import { createEngine } from "../../../../src/lib/liquid/engine.ts";
import { Meter } from "../../../../src/lib/liquid/meter.ts";
import { newContext } from "../../../../src/lib/liquid/rendering.ts";
import { parseLiquid } from "../../../../src/lib/liquid/text.ts";

const CHARACTERS = 1_000_000;
const ELEMENTS = 50_000;
const repeat = (text: string) => text.repeat(CHARACTERS / text.length);
const numbers = Array.from({ length: ELEMENTS }, (_, n) => (n * 7_919) % ELEMENTS);

const values = {
  text: repeat("a"),
  words: repeat("ab c"),
  quotes: repeat('"'),
  lines: repeat("\r\n"),
  tags: repeat("<>"),
  accents: repeat("éö"),
  escapes: repeat("%41b"),
  base64: repeat("QUJD"),
  needle: `${"a".repeat(500)}b${"a".repeat(499)}`,
  numbers,
  texts: numbers.map(String),
  objects: numbers.map((a) => ({ a })),
  object: Object.fromEntries(numbers.map((n) => [`k${n}`, n])),
  nested: Array.from({ length: 1_000 }).reduce<unknown>((inner) => [inner], numbers),
  path: "a.".repeat(ELEMENTS),
  terms: `x${" or x".repeat(1_000)}`,
  format: "%A".repeat(6_000),
};

/** Parts of tags with many values. */
const many = {
  when: ", 1".repeat(20_000),
  cycle: ", 1".repeat(20_000),
  comment: "{{ x }}".repeat(20_000),
  raw: "{{ x }}".repeat(20_000),
  if: " or no.no == 0".repeat(5_000),
  unless: " and 1".repeat(20_000),
  liquid: "\nassign a = b".repeat(5_000),
};

type Units = number | "over";

/** Returns the steps, units and characters of output that a rendering counts. */
function countOf(text: string): [steps: number, units: Units, output: number] {
  const { liquid } = createEngine("html", { part: "{{ x }}" });
  const meter = new Meter();
  const templates = liquid.parse(text);
  const context = newContext(liquid, values, { meter, now: 0 });
  const isOver = vi.fn();
  try {
    liquid.renderSync(templates, context);
  } catch (error) {
    expect(String(error)).toMatch(/it (?:takes|writes|reads) more than [\d,]+ /);
    isOver();
  }
  const { steps, units, output } = meter.counted;
  return [steps, isOver.mock.calls.length > 0 ? "over" : Math.round(units), output];
}

const FILTERS: [name: string, use: string, steps: number, units: Units][] = [
  ["abs", "1 | abs", 3, 50],
  ["append", "text | append: text", 3, 6_000_140],
  ["array_to_sentence_string", "texts | array_to_sentence_string", 3, 1_416_765],
  ["at_least", "1 | at_least: 2", 3, 60],
  ["at_most", "1 | at_most: 2", 3, 60],
  ["base64_decode", "base64 | base64_decode", 3, 2_750_090],
  ["base64_encode", "accents | base64_encode", 3, 4_666_758],
  ["capitalize", "accents | capitalize", 3, 3_000_090],
  ["ceil", "1.5 | ceil", 3, 50],
  ["cgi_escape", "quotes | cgi_escape", 3, 4_000_090],
  ["compact", "numbers | compact", 3, 600_090],
  ["concat", "numbers | concat: numbers", 3, 1_200_140],
  ["date", "0 | date: format", 3, "over"],
  ["date", '0 | date: "%A", "Europe/Stockholm"', 3, 12_114],
  ["date_to_long_string", "0 | date_to_long_string", 3, 8_066],
  ["date_to_rfc822", "0 | date_to_rfc822", 3, 8_085],
  ["date_to_string", '0 | date_to_string: "ordinal", "US"', 3, 16_092],
  ["date_to_xmlschema", "0 | date_to_xmlschema", 3, 8_100],
  ["default", "text | default: text", 3, 3_000_140],
  ["divided_by", "1 | divided_by: 2", 3, 60],
  ["downcase", "accents | downcase", 3, 3_000_090],
  ["escape", "quotes | escape", 3, 7_000_090],
  ["escape_once", "quotes | escape_once", 3, 8_000_090],
  ["find", 'objects | find: "a", -1', 3, 7_000_111],
  ["find", "objects | find: path", 3, "over"],
  ["find_exp", 'objects | find_exp: "x", "x.a == -1"', 3, 10_000_120],
  ["find_index", 'objects | find_index: "a", -1', 3, 7_000_111],
  ["find_index_exp", 'objects | find_index_exp: "x", "x.a == -1"', 3, 10_000_120],
  ["first", "numbers | first", 3, 500_090],
  ["floor", "1.5 | floor", 3, 50],
  ["group_by", 'objects | group_by: "a"', 3, 7_100_101],
  ["group_by_exp", 'objects | group_by_exp: "x", "x.a"', 3, 7_100_114],
  ["has", 'objects | has: "a", -1', 3, 7_000_111],
  ["has_exp", 'objects | has_exp: "x", "x.a == -1"', 3, 10_000_120],
  ["inspect", "nested | inspect", 3, 1_091_872],
  ["inspect", "nested | inspect: 10", 3, "over"],
  ["join", 'texts | join: ", "', 3, 1_416_768],
  ["json", "nested | json", 3, 1_091_872],
  ["json", "nested | json: 10", 3, "over"],
  ["jsonify", "objects | jsonify", 3, 1_977_872],
  ["last", "numbers | last", 3, 500_090],
  ["lstrip", 'words | lstrip: "ab "', 3, 3_000_103],
  ["map", 'objects | map: "a"', 3, 3_100_101],
  ["map", "objects | map: path", 3, "over"],
  ["minus", "1 | minus: 2", 3, 60],
  ["modulo", "1 | modulo: 2", 3, 60],
  ["money", '1 | money: "EUR", "de"', 3, 4_081],
  ["newline_to_br", "lines | newline_to_br", 3, 5_500_090],
  ["normalize_whitespace", "words | normalize_whitespace", 3, 3_000_090],
  ["number_of_words", 'words | number_of_words: "auto"', 3, 2_000_104],
  ["plus", "1 | plus: 2", 3, 60],
  ["pop", "numbers | pop", 3, 600_089],
  ["prepend", "text | prepend: text", 3, 6_000_140],
  ["push", "numbers | push: numbers", 3, 1_100_142],
  ["raw", "text | raw", 2, 1_000_090],
  ["reject", 'objects | reject: "a", 1', 3, 7_100_110],
  ["reject_exp", 'objects | reject_exp: "x", "x.a == 1"', 3, 10_100_118],
  ["remove", 'text | remove: "a"', 3, 2_343_855],
  ["remove", "text | remove: needle", 3, "over"],
  ["remove_first", "text | remove_first: needle", 3, "over"],
  ["remove_last", "text | remove_last: needle", 3, "over"],
  ["replace", 'text | replace: "a", "bbbbbb"', 3, 13_343_870],
  ["replace", 'text | replace: needle, ""', 3, "over"],
  ["replace_first", 'text | replace_first: needle, ""', 3, "over"],
  ["replace_last", 'text | replace_last: needle, ""', 3, "over"],
  ["reverse", "numbers | reverse", 3, 600_090],
  ["round", "1.5 | round: 1", 3, 60],
  ["rstrip", 'words | rstrip: "ab "', 3, 3_000_106],
  ["shift", "numbers | shift", 3, 600_089],
  ["size", "text | size", 3, 1_000_090],
  ["slice", "accents | slice: -1, 1", 3, 1_000_112],
  ["slugify", 'words | slugify: "latin"', 3, 2_000_105],
  ["sort", "numbers | sort", 3, 2_100_120],
  ["sort", 'objects | sort: "a"', 3, 6_100_131],
  ["sort", "objects | sort: path", 3, "over"],
  ["sort_natural", "texts | sort_natural", 3, 3_055_680],
  ["split", 'text | split: ""', 3, 3_312_603],
  ["split", "text | split: needle", 3, "over"],
  ["squish", "words | squish", 3, 3_000_090],
  ["strip", 'words | strip: "ab "', 3, 3_000_103],
  ["strip_html", "tags | strip_html", 3, 5_000_120],
  ["strip_newlines", "lines | strip_newlines", 3, 2_000_090],
  ["sum", 'objects | sum: "a"', 3, 3_000_101],
  ["sum", "objects | sum: path", 3, "over"],
  ["times", "1 | times: 2", 3, 60],
  ["to_integer", "text | to_integer", 3, 1_000_090],
  ["truncate", "accents | truncate: 999999", 3, 3_000_102],
  ["truncatewords", "words | truncatewords: 300000", 3, 3_000_103],
  ["uniq", "texts | uniq", 3, 838_980],
  ["unshift", "numbers | unshift: 1", 3, 600_101],
  ["upcase", "accents | upcase", 3, 3_000_090],
  ["uri_escape", "accents | uri_escape", 3, 7_000_090],
  ["url_decode", "escapes | url_decode", 3, 1_500_090],
  ["url_encode", "accents | url_encode", 3, 7_000_090],
  ["where", 'objects | where: "a", 1', 3, 7_050_112],
  ["where", "objects | where: path", 3, "over"],
  ["where_exp", 'objects | where_exp: "x", "x.a == 1"', 3, 10_050_120],
  ["where_exp", 'objects | where_exp: "x", terms', 3, "over"],
  ["xml_escape", "quotes | xml_escape", 3, 7_000_090],
];

const TAGS: [name: string, use: string, steps: number, units: Units, output: number][] = [
  ["#", "{% # note %}", 2, 0, 0],
  ["assign", "{% assign r = object.size %}", 2, 500_120, 0],
  ["assign", "{% assign r = text == text %}", 2, 2_000_180, 0],
  ["assign", "{% assign r = text contains needle %}", 2, "over", 0],
  ["assign", "{% assign r = numbers contains -1 %}", 2, 656_393, 0],
  ["break", "{% for x in object %}{% break %}{% endfor %}", 4, 500_216, 0],
  ["capture", "{% capture r %}{{ quotes }}{% endcapture %}", 4, "over", 0],
  ["case", "{% case text %}{% when words, quotes, text %}{% endcase %}", 3, 3_000_485, 0],
  ["case", `{% case 0 %}{% when 1${many.when} %}{% endcase %}`, 3, 1_020_091, 0],
  ["comment", `{% comment %}${many.comment}{% endcomment %}`, 2, 0, 0],
  ["continue", "{% for x in (1..3000) %}{% continue %}{% endfor %}", 6_002, 36_139, 0],
  ["cycle", `{% cycle text: 1${many.cycle} %}`, 2, 1_840_186, 1],
  ["decrement", "{% decrement r %}", 2, 0, 2],
  ["echo", "{% echo numbers %}", 2, 500_090, 288_891],
  ["for", "{% for x in objects reversed limit: 1 %}{% endfor %}", 3, 1_000_268, 0],
  ["for", "{% for x in (1..1000000) limit: 1 %}{% endfor %}", 3, 12_000_193, 0],
  ["if", `{% if no.no == 0${many.if} %}{% elsif no %}{% endif %}`, 3, 900_260, 0],
  ["increment", "{% increment r %}", 2, 0, 1],
  ["liquid", `{% liquid${many.liquid}\n%}`, 5_003, 400_000, 0],
  ["raw", `{% raw %}${many.raw}{% endraw %}`, 2, 0, 140_000],
  ["render", '{% render "part", x: object %}', 4, 1_000_306, 1_227_781],
  ["render", '{% render "part" for object as x %}', 10_000, "over", 127_742],
  ["tablerow", "{% tablerow x in object limit: 1 %}{% endtablerow %}", 3, 500_227, 44],
  ["unless", `{% unless 1${many.unless} %}{% endunless %}`, 3, 800_040, 0],
];

describe("the work of Liquid at large inputs", () => {
  it("has a row for each filter and tag that the engine has", () => {
    const { liquid } = createEngine("html", {});
    const namesOf = (rows: readonly (readonly [string, ...unknown[]])[]) =>
      [...new Set(rows.map(([name]) => name))].sort();
    expect(namesOf(FILTERS)).toEqual(Object.keys(liquid.filters).sort());
    expect(namesOf(TAGS)).toEqual(Object.keys(liquid.tags).sort());
  });

  it.each(FILTERS)("filter %s: %s", (name, use, steps, units) => {
    expect(use).toContain(`| ${name}`);
    expect(countOf(`{% assign r = ${use} %}`)).toEqual([steps, units, 0]);
  });

  it.each(TAGS.map((row) => [row[0], row[1].slice(0, 60), row] as const))(
    "tag %s: %s",
    (_, _use, [, use, ...counts]) => {
      expect(countOf(use)).toEqual(counts);
    },
  );

  it("is more for what a filter makes, and for twice the input at least twice", () => {
    const unitsOf = (use: string) => Number(countOf(`{% assign r = ${use} %}`)[1]);
    expect(unitsOf("quotes | escape") - unitsOf("text | escape")).toBe(4 * CHARACTERS);
    for (const use of ["text | split: 'aaaaaaaa'", "numbers | sort", "objects | map: 'a'"]) {
      const doubled = use.replace(/^\w+/, (name) => `${name} | ${name === "text" ? "append" : "concat"}: ${name}`);
      expect(unitsOf(doubled)).toBeGreaterThan(2 * unitsOf(use));
    }
  });
});

describe("parsing a Liquid text of 1,000,000 characters", () => {
  it("takes no place of a variable, which the package finds from the start of the text", () => {
    const places = vi.spyOn(Token.prototype, "getPosition");
    const text = parseLiquid("{{ a.b }}<p>Some text</p> ".repeat(38_000), "html");
    expect(text.paths()).toHaveLength(38_000);
    expect(places).not.toHaveBeenCalled();
    places.mockRestore();
  });

  it("shifts no element of the array of its tags, which would move all others", () => {
    const shift = vi.spyOn(Array.prototype, "shift");
    parseLiquid("{% if a %}{% endif %}".repeat(20_000), "html");
    const calls = shift.mock.calls.length;
    shift.mockRestore();
    expect(calls).toBe(0);
  });

  it("is refused beyond 50,000 tags and outputs, those of its parts included", () => {
    const half = "{{ a }}".repeat(25_000);
    expect(() => parseLiquid(half, "html", { half })).not.toThrow();
    expect(() => parseLiquid(`${half}{{ a }}`, "html", { half })).toThrow("more than 50,000 tags and outputs");
  });
});
