import * as z from "zod";

/** Returns the schema of a query parameter that is true or false, false by default. */
export const flag = (description: string) =>
  z
    .enum(["true", "false", "1", "0"])
    .default("false")
    .transform((value) => value === "true" || value === "1")
    .meta({ description });
