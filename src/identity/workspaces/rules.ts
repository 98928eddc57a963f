/** Limits of workspaces. */
export const limits = { nameCharacters: 100, addressCharacters: 300 } as const;

/** Workspaces that a user may create in an hour: each has budgets and rates of its own. */
export const creationPolicy = { name: "workspaces", limit: 20, windowSeconds: 3_600 } as const;
