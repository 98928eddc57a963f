// The Worker of the local service while `npm run dev:clock` has moved its clock.
import "./shift-date.ts";

export * from "../worker/entry.ts";
export { default } from "../worker/entry.ts";
