/** Limits of workspaces. */
export const limits = { nameCharacters: 100 } as const;
