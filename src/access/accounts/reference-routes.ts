/** The pages of the API reference. The calls that they make are authenticated by the routes that they call. */
export const referenceRoutes = {
  "GET /": "public",
  "GET /docs": "public",
  "GET /docs/:noun": "public",
  "GET /docs/try/:operation": "page",
  "POST /docs/try/:operation": "page",
} as const;
