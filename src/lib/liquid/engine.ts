import {
  type Context,
  defaultOperators,
  type Emitter,
  Liquid,
  RenderTag,
  type TagToken,
  type Template,
} from "liquidjs/dist/liquid.browser.mjs";
import { type Encoding, encodeValue, valueText } from "../placeholders.ts";
import { meteredFilters } from "./filters.ts";
import { meterOf } from "./rendering.ts";

/** Tags that read files, or whose parts take the place of others. */
const ABSENT_TAGS = ["include", "layout", "block"];
/** Operators that read their operands to the end. */
const COMPARING = ["==", "!=", ">", "<", ">=", "<=", "contains"];
/** Texts of parts that one engine keeps parsed. */
const KEPT_PARTS = 50;

/** A part of another template that a text renders, where it stands. */
export interface PartName {
  name: string;
  token: TagToken;
}

/** An engine for the texts of one email in one encoding. */
export interface Engine {
  liquid: Liquid;
  /** The parts that its texts name, in order of appearance. Grows as texts are parsed. */
  parts: PartName[];
}

/**
 * Returns an engine whose values are encoded for HTML, text or a header, and whose parts are `parts` by name. It has no files, no
 * lots and no clock, and counts its work (meter.ts).
 */
export function createEngine(encoding: Encoding, parts: Readonly<Record<string, string>>): Engine {
  const liquid = new Liquid({
    // Without a prototype, whose members would be parts with names such as toString.
    templates: Object.assign(Object.create(null), parts),
    cache: KEPT_PARTS,
    relativeReference: false,
    ownPropertyOnly: true,
    strictFilters: true,
    operators: meteredOperators(),
    outputEscape: escapeFor(encoding),
    timezoneOffset: 0,
    locale: "en-US",
  });
  for (const name of Object.keys(liquid.filters)) delete liquid.filters[name];
  for (const { name, handler, raw } of meteredFilters())
    liquid.registerFilter(name, { handler, raw: raw && encoding !== "header" });
  for (const name of ABSENT_TAGS) delete liquid.tags[name];
  const found: PartName[] = [];
  liquid.registerTag("render", staticRenderTag(found));
  boundOutput(liquid);
  return { liquid, parts: found };
}

/** Returns the tag `render` for names that stand in the text: parts are frozen when a send begins, before any value is known. */
function staticRenderTag(found: PartName[]) {
  return class extends RenderTag {
    constructor(...[token, rest, liquid, parser]: ConstructorParameters<typeof RenderTag>) {
      super(token, rest, liquid, parser);
      // biome-ignore lint/complexity/useLiteralKeys: the field is private in the types of the package
      const name: unknown = this["file"];
      if (typeof name !== "string") throw new Error("render takes the name of a template in quotes");
      found.push({ name, token });
    }

    override *render(context: Context, emitter: Emitter): ReturnType<RenderTag["render"]> {
      meterOf(context).enterPart();
      yield* super.render(context, emitter);
      meterOf(context).leavePart();
    }
  };
}

function meteredOperators() {
  const metered = COMPARING.map((name) => {
    const compare = defaultOperators[name] as (left: unknown, right: unknown, context: Context) => unknown;
    return [
      name,
      (left: unknown, right: unknown, context: Context) => {
        meterOf(context).read(left);
        meterOf(context).read(right);
        return compare(left, right, context);
      },
    ];
  });
  return { ...defaultOperators, ...Object.fromEntries(metered) };
}

const escapeFor = (encoding: Encoding) =>
  function (this: { context: Context }, value: unknown): string {
    meterOf(this.context).read(value);
    return encodeValue(valueText(value), encoding);
  };

/** Makes whatever is rendered count as output, also in captures, which have an output of their own. */
function boundOutput({ renderer }: Liquid): void {
  const render = renderer.renderTemplates.bind(renderer);
  renderer.renderTemplates = (templates: Template[], context: Context, emitter?: Emitter) =>
    render(templates, context, emitter ?? new MeteredOutput(context));
}

class MeteredOutput implements Emitter {
  buffer = "";
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  write(value: unknown): void {
    const text = typeof value === "string" ? value : valueText(value);
    meterOf(this.#context).write(text.length);
    this.buffer += text;
  }
}
