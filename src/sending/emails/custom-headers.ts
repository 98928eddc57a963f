import * as z from "zod";

/** z.record drops a header named `__proto__` silently, so it is refused here, as every bad header name is. */
export const Headers = z
  .unknown()
  .superRefine((value, context) => {
    if (typeof value === "object" && value !== null && Object.hasOwn(value, "__proto__"))
      context.addIssue({
        code: "custom",
        path: ["__proto__"],
        message: "A header cannot be named __proto__",
        input: value,
      });
  })
  .pipe(z.record(z.string(), z.string()).nullish());
