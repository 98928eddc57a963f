// The Worker of the local service. A deployment never contains this file.
import "../d1-limits.ts";

export * from "../../src/index.ts";
export { default } from "../../src/index.ts";
