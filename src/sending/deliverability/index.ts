export { type Deliverability, getDeliverability } from "./get.ts";
export { RECEIVERS } from "./receivers.ts";
export { COMPLAINTS } from "./troubles.ts";
