import * as z from "zod";
import { isUuid } from "./ids.ts";

/**
 * Returns the schema of an id in a body or query: a UUID in any letter case, which becomes lower case. Any other text is a 422
 * (docs/contract/requests.md#ids-and-times); an id that no record has is for the operation to refuse.
 */
export const idField = () =>
  z
    .string()
    .max(36, { abort: true })
    .toLowerCase()
    .refine(isUuid, "Must be an id: a UUID such as 019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a02")
    .meta({ format: "uuid", maxLength: 36 });

/** Returns the schema of a UUID in any letter case, which becomes lower case. `message`: the error of any other text. */
export const uuidText = (message = "must be a UUID") =>
  z.string().toLowerCase().refine(isUuid, message).meta({ format: "uuid" });
