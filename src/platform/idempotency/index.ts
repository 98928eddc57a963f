export { addReceipt } from "./add-receipt.ts";
export { deleteExpiredMainResponses, deleteExpiredResponses } from "./delete-expired.ts";
export type { Idempotency } from "./key.ts";
export { responsePrefixes } from "./large-responses.ts";
export { Reservation } from "./reservation.ts";
export { findResponse, storeMailResponse, storeResponse, storeSecretResponse } from "./responses.ts";
export { dayOf } from "./rules.ts";
export { storeMailResponses } from "./store-responses.ts";
