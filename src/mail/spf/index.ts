export { covers, type Network, parseSpf, type SpfTerm } from "./parse.ts";
export { isSpfRecord, type SpfEvaluation, type SpfLookUp, walkSpf } from "./walk.ts";
