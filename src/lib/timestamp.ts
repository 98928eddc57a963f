import * as z from "zod";

/** A time in a response: ISO 8601 in UTC. */
export const timestamp = z.string().meta({ format: "date-time" });
