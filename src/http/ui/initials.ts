/** Returns at most two letters for a person: of the name, else of the address. */
export function initialsOf({ name, email }: { name: string | null; email: string }): string {
  const words = (name ?? email.split("@")[0] ?? "").split(/[\s._-]+/).filter((word) => word !== "");
  const letters = words.map((word) => Array.from(word)[0] ?? "");
  return (letters.length > 1 ? [letters[0], letters.at(-1)] : letters).join("").toUpperCase();
}
