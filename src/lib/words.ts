/** Returns the words of a text, which white space separates. */
export const words = (text: string): string[] => text.trim().split(/\s+/);
