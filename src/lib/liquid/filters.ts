import { type Context, filters as standardFilters } from "liquidjs/dist/liquid.browser.mjs";
import { valueText } from "../placeholders.ts";
import { FORMAT_UNITS, type Meter } from "./meter.ts";
import { meterOf, timeOf } from "./rendering.ts";

type Handler = (this: { context: Context }, value: unknown, ...parameters: unknown[]) => unknown;

/** `sample` draws lots, and those of hashes respond later: an email is rendered at once, and twice with the same result. */
const ABSENT = ["sample", "sha256", "hmac_sha256"];
/** Filters whose value may be the time of the email. */
const DATES = ["date", "date_to_xmlschema", "date_to_rfc822", "date_to_string", "date_to_long_string"];

const SEARCHES = /^(?:remove|replace)(?:_first|_last)?$|^split$/;
/** Filters that take some times as long as others for what they read. */
const SLOW = /^(?:strip_html|sort|sort_natural)$/;
const JSON_FILTERS = ["json", "jsonify", "inspect"];
/** Greatest indentation of a level of JSON. */
const INDENT = 10;

/** Returns the filters of Liquid and those of this service. Each counts a step, what it reads and the length of what it makes. */
export function meteredFilters(): { name: string; handler: Handler; raw: boolean }[] {
  const standard = Object.entries(standardFilters).filter(([name]) => !ABSENT.includes(name));
  return [...standard, ["money", money] as const].map(([name, filter]) => {
    const own = (typeof filter === "function" ? filter : filter.handler) as Handler;
    const handler: Handler = function* (value, ...parameters): Generator<unknown, unknown, unknown> {
      const meter = meterOf(this.context);
      meter.step();
      const given = DATES.includes(name) ? atTime(this.context, value) : value;
      countWork(meter, name, given, parameters, this.context.opts.dateFormat);
      const made = yield own.call(this, given, ...parameters);
      if (typeof made === "string" || Array.isArray(made)) meter.use(made.length);
      return made;
    };
    return { name, handler: name === "raw" ? asText : handler, raw: name === "raw" };
  });
}

function countWork(meter: Meter, name: string, value: unknown, parameters: readonly unknown[], dateFormat: string) {
  const units = meter.read(value, JSON_FILTERS.includes(name) && parameters.length > 0 ? INDENT : 0);
  const [first = 0] = parameters.map((parameter) => meter.read(parameter));
  if (SLOW.test(name)) meter.use(3 * units);
  if (SEARCHES.test(name)) meter.search([units, first]);
  if (name === "money") meter.use(FORMAT_UNITS);
  if (!DATES.includes(name)) return;
  const fields = name === "date" ? valueText(parameters[0] ?? dateFormat).split("%").length - 1 : 2;
  // A zone takes as long as two fields.
  meter.use(FORMAT_UNITS * (fields + (typeof parameters[1] === "string" ? 2 : 0)));
}

/** `raw` leaves out the escaping, not the limit. */
const asText: Handler = function (value) {
  meterOf(this.context).read(value);
  return valueText(value);
};

/** Returns the time of the email in place of the words that mean the present; in seconds, as Liquid has times. */
const atTime = (context: Context, value: unknown) =>
  value === "now" || value === "today" ? timeOf(context) / 1000 : value;

const CURRENCY = /^[A-Z]{3}$/;
const LANGUAGE = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$/;

/** `{{ 1234.5 | money: "EUR", "de" }}`: an amount in a currency (ISO 4217), as a language (BCP 47; default: en) writes it. */
const money: Handler = (value, currency, language = "en") => {
  if (typeof currency !== "string" || !CURRENCY.test(currency))
    throw new Error('money takes a currency of three letters, as in money: "EUR"');
  if (typeof language !== "string" || !LANGUAGE.test(language))
    throw new Error('money takes a language, as in money: "EUR", "de"');
  const amount = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (typeof amount !== "number" || !Number.isFinite(amount)) return value;
  return new Intl.NumberFormat(language, { style: "currency", currency }).format(amount);
};
