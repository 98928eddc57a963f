/** Liquid texts: what they render, and that no text and no value takes more than its share of CPU and memory. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { liquidLimits } from "../../../src/lib/liquid/meter.ts";
import { LiquidTextError, parseLiquid } from "../../../src/lib/liquid/text.ts";
import type { Encoding, Values } from "../../../src/lib/placeholders.ts";

const NOW = Date.UTC(2026, 10, 24, 12, 30);
const render = (text: string, values: Values = {}, encoding: Encoding = "text", parts: Record<string, string> = {}) =>
  parseLiquid(text, encoding, parts).render(values, NOW);

/** Returns the issue of a text that cannot be parsed or rendered. */
function issueOf(text: string, values: Values = {}, parts: Record<string, string> = {}) {
  try {
    render(text, values, "html", parts);
  } catch (error) {
    if (error instanceof LiquidTextError) return error.issue;
    throw error;
  }
  throw new Error("the text was rendered");
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe("a Liquid text", () => {
  it.each<[text: string, values: Values, expected: string]>([
    ["Hello {{ name }}", { name: "Ada" }, "Hello Ada"],
    ["{% if plan == 'pro' %}Pro{% else %}Free{% endif %}", { plan: "pro" }, "Pro"],
    [
      "{% for item in items %}{{ forloop.index }}:{{ item.name }} {% endfor %}",
      { items: [{ name: "a" }, { name: "b" }] },
      "1:a 2:b ",
    ],
    ["{% for i in (1..3) %}{{ i }}{% endfor %}", {}, "123"],
    ["{% for i in x offset: 5 %}i{% else %}none{% endfor %}", { x: [1, 2] }, "none"],
    ["{% for i in x limit: 0 %}i{% else %}none{% endfor %}", { x: [1, 2] }, "none"],
    ["{% for i in x limit: nothing %}i{% else %}none{% endfor %}", { x: [1, 2] }, "ii"],
    [
      "{% for i in x limit: 1 %}i{% endfor %}{% for i in x offset: continue %}i{% else %}none{% endfor %}",
      { x: [1] },
      "inone",
    ],
    [
      "{% for i in x %}{% for j in i offset: 1 %}{{ j }}{% else %}-{% endfor %}{% break %}{% else %}none{% endfor %}",
      { x: [[1], [2]] },
      "-",
    ],
    ["{% for i in x %}i{% else %}{{ forloop.index }}none{% endfor %}{% assign y = 1 %}{{ y }}", { x: [] }, "none1"],
    ["{{ missing | default: 'friend' }}", {}, "friend"],
    ["{{ 'a long sentence' | truncate: 9 }}", {}, "a long..."],
    ["{{ at | date: '%Y-%m-%d %H:%M', 'Europe/Stockholm' }}", { at: "2026-07-01T22:30:00Z" }, "2026-07-02 00:30"],
    ["{{ 1234.5 | money: 'EUR' }}", {}, "€1,234.50"],
    ["{{ '1234.5' | money: 'SEK', 'sv-SE' }}", {}, "1\u00a0234,50\u00a0kr"],
    ["{{ 'soon' | money: 'EUR' }}", {}, "soon"],
    ["{{ order }} {{ list }}", { order: { total: 3 }, list: [1, "b"] }, '{"total":3} [1,"b"]'],
    ["{% comment %}{{ no }}{% endcomment %}{% raw %}{{ as it is }}{% endraw %}", {}, "{{ as it is }}"],
  ])("%s", (text, values, expected) => {
    expect(render(text, values)).toBe(expected);
  });

  it("escapes values in HTML wherever they are written, and only `raw` leaves that out", () => {
    const values = { x: "<b>&'\"" };
    const escaped = "&lt;b&gt;&amp;&#39;&quot;";
    expect(render("{{ x }}{% echo x %}{% cycle x %}<i>", values, "html")).toBe(`${escaped}${escaped}${escaped}<i>`);
    expect(render("{% liquid\necho x %}", values, "html")).toBe(escaped);
    expect(render("{{ x | raw }}", values, "html")).toBe(values.x);
    expect(render("{{ x }}", { x: ["<i>", { y: "<u>" }] }, "html")).not.toMatch(/<[iu]>/);
  });

  it("keeps a header in one line, whatever its values and filters write", () => {
    const values = { x: "a\r\nBcc: c@example.test" };
    for (const text of [
      "{{ x }}",
      "{% capture y %}{{ x }}{% endcapture %}{{ y }}",
      "{{ x | newline_to_br }}",
      "{{ x | raw }}",
    ])
      expect(render(text, values, "header")).not.toMatch(/[\r\n]/);
  });

  it("takes the present from the email, so that rendering twice gives the same", () => {
    vi.spyOn(Date, "now").mockReturnValue(0);
    const text = "{{ 'now' | date: '%s' }} {{ 'today' | date: '%Y-%m-%d' }} {{ 'now' | date_to_xmlschema }}";
    expect(render(text)).toBe(`${NOW / 1000} 2026-11-24 2026-11-24T12:30:00+00:00`);
    expect(render(text)).toBe(render(text));
  });

  it("reads parts of other templates, with the values of the email and their own", () => {
    const parts = { footer: "<p>{{ company }} {{ name }}</p>" };
    expect(render("{{ name }}{% render 'footer', company: c %}", { name: "Ada", c: "A&B" }, "html", parts)).toBe(
      "Ada<p>A&amp;B Ada</p>",
    );
    expect(parseLiquid("{% render 'footer' %}{% render 'footer' %}", "html", parts).parts).toEqual(["footer"]);
  });

  it("says which values it reads, those of its parts and nested ones included", () => {
    const parts = { footer: "{{ company.name }}{{ inner }}" };
    const text = parseLiquid(
      "{{ order.total }}{% for line in order.lines %}{{ line.name }}{% endfor %}{% assign own = 1 %}{{ own }}{% render 'footer', inner: x %}",
      "html",
      parts,
    );
    expect(
      text
        .paths()
        .map((path) => path.join("."))
        .sort(),
    ).toEqual(["company.name", "order.lines", "order.total", "x"]);
  });
});

describe("a date", () => {
  it.each<[format: string, values: Values]>([
    [`'${"%c".repeat(101)}'`, {}],
    ["f", { f: "%c".repeat(101) }],
    ["f", { f: Array(101).fill("%c") }],
  ])("counts each field of its format: %s", (format, values) => {
    const text = (passes: number) => `{% for i in (1..${passes}) %}{% assign x = 0 | date: ${format} %}{% endfor %}`;
    expect(render(text(48), values)).toBe("");
    expect(issueOf(text(50), values).message).toBe("it reads more than 20,000,000 characters of values");
  });
});

describe("a mistake has a line and a column", () => {
  it.each([
    ["one\n  {{ name | shout }}", { line: 2, column: 3, message: "undefined filter: shout" }],
    ["{% if x %}", { line: 1, column: 1, message: "tag {% if x %} not closed" }],
    ["a\nb {% include 'x' %}", { line: 2, column: 3, message: 'tag "include" not found' }],
    ["{{ 'x' | sample }}", { line: 1, column: 1, message: "undefined filter: sample" }],
    ["{% render name %}", { line: 1, column: 1, message: "render takes the name of a template in quotes" }],
    [
      "{{ 1 | money: 'euro' }}",
      { line: 1, column: 1, message: 'money takes a currency of three letters, as in money: "EUR"' },
    ],
  ])("%s", (text, expected) => {
    expect(issueOf(text)).toMatchObject(expected);
  });

  it.each(["none", "toString", "constructor", "__proto__"])("at the tag of a part that does not exist: %s", (name) => {
    const message = `no Liquid template with such a body has the name "${name}"`;
    expect(issueOf(`\n {% render '${name}' %}`)).toMatchObject({ message });
    expect(() => parseLiquid(`{% render '${name}' %}`, "html").paths()).toThrow(message);
  });

  it.each(["toString", "__proto__"])("but a part with the name %s has none", (name) => {
    const parts = JSON.parse(`{"${name}": "{{ x }}!"}`) as Record<string, string>;
    expect(parseLiquid(`{% render '${name}', x: x %}`, "html", parts).render({ x: 1 }, 0)).toBe("1!");
  });

  it("in a part of another template, with its name", () => {
    expect(issueOf("{% render 'footer' %}", {}, { footer: "\n{{ x | shout }}" })).toMatchObject({
      line: 2,
      part: "footer",
    });
  });
});

describe("templates that render each other", () => {
  it.each<[what: string, parts: Record<string, string>, message: string]>([
    ["itself", { a: "{% render 'a' %}" }, 'the template "a" renders itself'],
    [
      "in a circle",
      { a: "{% render 'b' %}", b: "{% render 'c' %}", c: "{% render 'a' %}" },
      'the template "a" renders "b", which renders "c", which renders "a"',
    ],
    [
      "in a circle to which the first leads",
      { a: "{% render 'b' %}", b: "{% render 'b' %}" },
      'the template "b" renders itself',
    ],
    [
      "after text, in a circle",
      { a: "Dear {{ x }}, {% render 'b' %}", b: "x{% if y %}y{% render 'a' %}{% endif %}" },
      'the template "a" renders "b", which renders "a"',
    ],
  ])("%s are an issue at the tag that renders the first", (_, parts, message) => {
    const issue = { line: 2, column: 2, part: null, message };
    expect(() => parseLiquid("\n {% render 'a' %}", "html", parts).paths()).toThrow(expect.objectContaining({ issue }));
  });

  it("more than once, and in no circle, have values", () => {
    const parts = { a: "{% render 'b' %}{% render 'c' %}", b: "{% render 'c' %}", c: "{{ x }}" };
    expect(parseLiquid("{% render 'a' %}{% render 'c' %}{{ y }}", "html", parts).paths()).toEqual([["x"], ["y"]]);
  });
});

describe("a hostile text ends at a limit, with a frozen clock", () => {
  const big = "x".repeat(60_000);
  it.each<[name: string, text: string, values?: Values]>([
    ["a billion passes", "{% for i in (1..1000000000) %}{% endfor %}"],
    ["loops in loops", "{% for i in (1..1000) %}{% for j in (1..1000) %}{% endfor %}{% endfor %}"],
    ["cells of a table", "{% tablerow i in (1..100000) %}{% endtablerow %}"],
    ["a part for each element", "{% render 'part' for (1..100000) as i %}"],
    ["a part that renders itself", "{% render 'self' %}"],
    [
      "a text of 100 MB",
      "{% assign s = big %}{% for i in (1..12) %}{% assign s = s | append: s %}{% endfor %}{{ s }}",
      { big },
    ],
    ["captures within captures", `${"{% capture s %}{{ s }}{{ s }}{{ big }}{% endcapture %}".repeat(20)}`, { big }],
    [
      "a list of lists that doubles",
      `{% assign a = "1,2" | split: "," %}${"{% assign b = a %}{% assign a = a | push: b | push: b %}".repeat(40)}{{ a }}`,
    ],
    [
      "comparing such lists",
      `{% assign a = "1,2" | split: "," %}${"{% assign b = a %}{% assign a = a | push: b | push: b %}".repeat(40)}{% if a == b %}{% endif %}`,
    ],
    [
      "ranges in ranges of a table",
      "{% for i in (1..1000000000) %}{% tablerow j in (1..1000000000) %}{% endtablerow %}{% endfor %}",
    ],
    [
      "a text of 100 MB by replace",
      "{% assign s = big %}{% for i in (1..9) %}{% assign s = s | replace: 'x', 'xxxxxxxxxx' %}{% endfor %}",
      { big },
    ],
    [
      "a text of 100 MB by split and join",
      "{% assign s = big %}{% for i in (1..12) %}{% assign s = s | split: '' | join: 'xx' %}{% endfor %}",
      { big },
    ],
    ["a padded number", "{{ 'now' | date: '%1000000000Y' }}"],
    [
      "searching a long text again and again",
      "{% assign s = big | append: big | append: big %}{% for i in (1..3000) %}{% if s contains 'y' %}{% endif %}{% endfor %}",
      { big },
    ],
    [
      "filters over a long list",
      "{% for i in (1..5000) %}{% assign a = list | sort | join %}{% endfor %}",
      { list: big.split("") },
    ],
    ["infinity", "{% for i in (1..1e400) %}{% endfor %}"],
  ])("%s", (_name, text, values = {}) => {
    vi.spyOn(Date, "now").mockReturnValue(0);
    vi.spyOn(performance, "now").mockReturnValue(0);
    const parts = { part: "x", self: "{% render 'self' %}" };
    const issue = issueOf(text, values, parts);
    expect(issue.message).toMatch(
      /^it (takes|writes|reads) more than [\d,]+ |^it renders templates more than 20 levels deep$/,
    );
    expect([issue.line, issue.column]).toEqual([expect.any(Number), expect.any(Number)]);
    expect(Math.min(issue.line, issue.column)).toBeGreaterThan(0);
  });

  it("templates may render each other 20 levels deep, any number of times", () => {
    const chain = (levels: number) =>
      Object.fromEntries(
        Array.from({ length: levels }, (_, n) => [`p${n + 1}`, n + 1 < levels ? `{% render 'p${n + 2}' %}` : "end "]),
      );
    const text = "{% render 'p1' %}{% render 'p1' %}";
    expect(render(text, {}, "text", chain(20))).toBe("end end ");
    expect(issueOf(text, {}, chain(21)).part).toBe("p20");
  });

  it("names the line and the column of the tag at which it ended", () => {
    vi.spyOn(Date, "now").mockReturnValue(0);
    expect(issueOf("a\n b {% for i in (1..1000000000) %}\n{% endfor %}")).toMatchObject({
      line: 2,
      column: 4,
      part: null,
    });
    const doubling = "{% for i in (1..12) %}\n  {% assign s = s | append: s %}{% endfor %}";
    expect(issueOf(doubling, { s: big })).toMatchObject({ line: 2, column: 3 });
  });

  it("a text of tags within tags, or longer than a template, is an issue too", () => {
    const nested = (levels: number) => `${"{% if a %}".repeat(levels)}x${"{% endif %}".repeat(levels)}`;
    expect(render(nested(liquidLimits.nesting), { a: 1 })).toBe("x");
    for (const levels of [liquidLimits.nesting + 1, 20_000])
      expect(issueOf(nested(levels), { a: 1 })).toMatchObject({
        line: 1,
        part: null,
        message: "it has tags more than 50 levels deep",
      });
    expect(issueOf("x".repeat(liquidLimits.text + 1)).message).toMatch(/more than 1,000,000 characters/);
  });

  it.each(["__proto__", "constructor", "toString", "constructor.constructor", "__defineGetter__"])(
    "%s has no value",
    (name) => {
      expect(render(`{{ ${name} }}{{ x.${name} }}`, { x: {} })).toBe("");
      expect(render(`{{ x["${name}"] }}{{ x | map: "${name}" }}`, { x: [{}] })).toBe("[null]");
    },
  );
});
