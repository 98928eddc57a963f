// The Worker of the local service while `npm run dev:clock` has moved its clock. A deployment never contains this file.
import "./shift-date.ts";

export * from "../../src/index.ts";
export { default } from "../../src/index.ts";
