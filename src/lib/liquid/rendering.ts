import { Context, type Liquid } from "liquidjs/dist/liquid.browser.mjs";
import { ACCESS_UNITS, ELEMENT_UNITS, type Meter } from "./meter.ts";

interface Rendering {
  meter: Meter;
  /** Milliseconds since 1970. */
  now: number;
}

/** A context of the package has no place for what is ours but its globals, which it hands to each part. */
const RENDERING = Symbol("rendering");

/** Returns a context whose limits count on a meter, with the values as globals, which parts read too. `now`: time of the email, in ms. */
export function newContext(liquid: Liquid, values: object, rendering: Rendering): Context {
  const globals = Object.assign(Object.create(null), values, { [RENDERING]: rendering });
  return new MeteredContext(liquid, globals, Object.create(null));
}

class MeteredContext extends Context {
  constructor(liquid: Liquid, globals: object, scope: object) {
    super(scope, liquid.options, { globals, sync: true }, { liquid });
    // The package asks it before it makes a list or text.
    this.memoryLimit.use = (units) => meterOf(this).use(Number(units));
  }

  override spawn(scope = {}): Context {
    meterOf(this).use(2 * ACCESS_UNITS);
    return new MeteredContext(this.liquid, this.globals, scope);
  }

  override push(scope: object): number {
    meterOf(this).use(ACCESS_UNITS);
    return super.push(scope);
  }

  override readProperty(...[owner, key]: Parameters<Context["readProperty"]>): unknown {
    // The size of an object is counted anew each time.
    const isCounted = key === "size" && typeof owner === "object" && owner !== null && !Array.isArray(owner);
    meterOf(this).use(ACCESS_UNITS + (isCounted ? ELEMENT_UNITS * Object.keys(owner).length : 0));
    return super.readProperty(owner, key);
  }
}

const renderingOf = ({ globals }: Context): Rendering => (globals as { [RENDERING]: Rendering })[RENDERING];

export const meterOf = (context: Context): Meter => renderingOf(context).meter;
export const timeOf = (context: Context): number => renderingOf(context).now;
