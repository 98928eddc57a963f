import {
  type Context,
  defaultOperators,
  type Emitter,
  evalToken,
  ForTag,
  Liquid,
  LiquidError,
  ParseError,
  Parser,
  RenderError,
  RenderTag,
  type TagToken,
  type Template,
  TokenKind,
  type TopLevelToken,
  Value,
  type ValueToken,
} from "liquidjs/dist/liquid.browser.mjs";
import { type Encoding, encodeValue, valueText } from "../placeholders.ts";
import { meteredFilters } from "./filters.ts";
import { ACCESS_UNITS, LiquidLimitError, liquidLimits } from "./meter.ts";
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

/** Returns an engine that encodes values for HTML, text or a header, with `parts` by name. It has no clock, and counts its work. */
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
  liquid.registerTag("for", EmptyForTag);
  meterTemplates(liquid);
  return { liquid, parts: found };
}

/** The tag `for`. That of the package renders `else` for an empty list only, and not for one of which `offset` and `limit` leave nothing. */
class EmptyForTag extends ForTag {
  override *render(context: Context, emitter: Emitter): ReturnType<ForTag["render"]> {
    let passes = 0;
    const get = () => {
      passes += 1;
      return this.templates;
    };
    const loop = Object.create(this, { templates: { get }, elseTemplates: { value: [] } });
    yield* super.render.call(loop, context, emitter);
    if (passes === 0) yield this.liquid.renderer.renderTemplates(this.elseTemplates, context, emitter);
  }
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
  const metered = Object.entries(defaultOperators).map(([name, operator]) => {
    const apply = operator as (...parameters: unknown[]) => unknown;
    return [
      name,
      (...parameters: unknown[]) => {
        const meter = meterOf(parameters.at(-1) as Context);
        meter.use(ACCESS_UNITS);
        const units = COMPARING.includes(name) ? parameters.slice(0, 2).map((value) => meter.read(value)) : [];
        if (name === "contains") meter.search(units);
        return apply(...parameters);
      },
    ];
  });
  return Object.fromEntries(metered) as typeof defaultOperators;
}

const escapeFor = (encoding: Encoding) =>
  function (this: { context: Context }, value: unknown): string {
    meterOf(this.context).read(value);
    return encodeValue(valueText(value), encoding);
  };

/** Counts each template that is rendered, what it writes, and what the package reads to render a tag: a `case` and a loop read all of it. */
function meterTemplates({ renderer }: Liquid): void {
  const known = new WeakMap<Template, readonly Argument[]>();
  renderer.renderTemplates = function* (templates, context, emitter = new MeteredOutput(context)) {
    const meter = meterOf(context);
    meter.step();
    for (const template of templates) {
      try {
        meter.step();
        // Some tags yield undefined for an argument without a value.
        const read = known.get(template) ?? [...(template.arguments?.() ?? [])].filter(Boolean);
        known.set(template, read);
        meter.use(ACCESS_UNITS * read.length);
        for (const one of read) if (!(one instanceof Value)) yield* readToken(context, one);
        const written: unknown = yield template.render(context, emitter);
        if (written) emitter.write(written);
      } catch (error) {
        throw error instanceof Error && !LiquidError.is(error) ? new RenderError(error, template) : error;
      }
      if (context.breakCalled || context.continueCalled) break;
    }
    return (emitter as MeteredOutput).buffer;
  };
}

type Argument = Value | ValueToken;

function* readToken(context: Context, token: ValueToken): Generator<unknown, void, unknown> {
  meterOf(context).use(token.size());
  if (token.kind !== TokenKind.FilteredValue) meterOf(context).read(yield evalToken(token, context));
}

/** Tokens from the last to the first. The package shifts, which moves all elements of a long array each time. */
class TokenQueue extends Array<TopLevelToken> {
  override shift(): TopLevelToken | undefined {
    return this.pop();
  }
}

const { parseToken, parseTokens } = Parser.prototype;
Parser.prototype.parseTokens = function (this: Parser, tokens) {
  return parseTokens.call(this, TokenQueue.from(tokens.toReversed()));
};

/** Tags in which the parser is. Parsing is synchronous, so one count does for all parsers. */
let nesting = 0;

Parser.prototype.parseToken = function (this: Parser, token, rest) {
  if (nesting > liquidLimits.nesting)
    throw new ParseError(new LiquidLimitError(`it has tags more than ${liquidLimits.nesting} levels deep`), token);
  nesting += 1;
  try {
    return parseToken.call(this, token, rest);
  } finally {
    nesting -= 1;
  }
};

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
