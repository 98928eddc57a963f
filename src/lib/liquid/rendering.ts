import { Context, type Liquid } from "liquidjs/dist/liquid.browser.mjs";
import { Meter } from "./meter.ts";

interface Rendering {
  meter: Meter;
  /** Milliseconds since 1970. */
  now: number;
}

/** A context of the package has no place for what is ours but its globals, which it hands to each part. */
const RENDERING = Symbol("rendering");

/**
 * Returns a context whose limits count on a meter of its own. The values are its globals, so that parts read them too. `now`: the time of
 * the email, in ms since 1970.
 */
export function newContext(liquid: Liquid, values: object, now: number): Context {
  const meter = new Meter();
  const globals = Object.assign(Object.create(null), values, { [RENDERING]: { meter, now } satisfies Rendering });
  const context = new Context(Object.create(null), liquid.options, { globals, sync: true }, { liquid });
  // The package asks the first before each part that it renders, and the second before it makes a list or text.
  context.renderLimit.check = () => meter.step();
  context.memoryLimit.use = (units) => meter.use(Number(units));
  return context;
}

const renderingOf = ({ globals }: Context): Rendering => (globals as { [RENDERING]: Rendering })[RENDERING];

export const meterOf = (context: Context): Meter => renderingOf(context).meter;
export const timeOf = (context: Context): number => renderingOf(context).now;
