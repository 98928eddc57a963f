export { DeliveryRun } from "./delivery-run.ts";
export type { Job } from "./egress-stream.ts";
export { type HandOver, isOpen, type Paced } from "./hand-over.ts";
