export { covers, type Network } from "./parse.ts";
export { isSpfRecord, type SpfEvaluation, walkSpf } from "./walk.ts";
