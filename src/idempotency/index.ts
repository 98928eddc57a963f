export { deleteExpiredResponses } from "./delete-expired.ts";
export {
  findResponse,
  type Idempotency,
  type StoredResponse,
  storeResponse,
  storeSecretResponse,
} from "./responses.ts";
