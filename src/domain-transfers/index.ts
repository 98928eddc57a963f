export { runDeadline } from "./deadline.ts";
export type { ObjectCall, ObjectResult, TransferObject } from "./object.ts";
export { performCall } from "./perform.ts";
export { runTransferTasks } from "./run-tasks.ts";
