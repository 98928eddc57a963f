export { cfblHeaders, hasCfblField, isCfblAddress } from "./cfbl-headers.ts";
export { isFeedbackRecipient, receiveFeedback } from "./receive.ts";
export { receiveCfblReport } from "./receive-cfbl.ts";
