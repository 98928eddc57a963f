/** Limits of workspaces. */
export const limits = { nameCharacters: 100, addressCharacters: 300 } as const;
