import type { FormField } from "../../../audience/forms/index.ts";

/** Fields of a form as lines of a text: `city: Town`, with a star at the end of one that is required. Pure. */

/** Returns the lines of fields. */
export const toLines = (fields: readonly FormField[]): string =>
  fields.map(({ name, label, required }) => `${name}: ${label}${required ? " *" : ""}`).join("\n");

/** Returns the fields of lines. A line without a colon is name and label. */
export function fromLines(text: string): FormField[] {
  return text.split("\n").flatMap((line) => {
    const [, content = "", star = ""] = /^(.*?)(\*?)$/.exec(line.trim()) ?? [];
    if (content.trim() === "") return [];
    const [name = "", ...label] = content.split(":");
    return [{ name: name.trim(), label: (label.join(":") || name).trim(), required: star !== "" }];
  });
}
