import { register } from "node:module";

const FLAG = '.compatibilityFlags.push("no_handle_cross_request_promise_resolution")';

const HOOK = `
  export async function load(url, context, next) {
    const loaded = await next(url, context);
    if (!url.endsWith("/@cloudflare/vitest-pool-workers/dist/pool/index.mjs")) return loaded;
    const source = String(loaded.source);
    if (!source.includes(${JSON.stringify(FLAG)})) throw new Error("vitest-pool-workers sets no flag for promises of other requests");
    return { ...loaded, source: source.replace(${JSON.stringify(FLAG)}, "") };
  }`;

/**
 * Lets the Worker of the tests await promises that other requests resolve, as it does where it is deployed: vitest-pool-workers, which is
 * to be imported after this, turns that off.
 */
export function keepCrossRequestPromises(): void {
  register(`data:text/javascript,${encodeURIComponent(HOOK)}`);
}
