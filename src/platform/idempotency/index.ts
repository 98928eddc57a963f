export { deleteExpiredResponses } from "./delete-expired.ts";
export { Reservation } from "./reservation.ts";
export {
  findResponse,
  type Idempotency,
  type StoredResponse,
  storeMailResponse,
  storeResponse,
  storeSecretResponse,
} from "./responses.ts";
export { dayOf } from "./rules.ts";
export { type KeyedResponse, storeMailResponses } from "./store-responses.ts";
