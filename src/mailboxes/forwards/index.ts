export { FILE_PURPOSE, type ForwardedFile } from "./file-link.ts";
export { type ForwardingMailbox, type ForwardPlan, planForwards } from "./plan.ts";
export { readForward, receiveForwardReport } from "./receive-report.ts";
export { runForwards } from "./run.ts";
