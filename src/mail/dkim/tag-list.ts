/** White space of tag lists (RFC 6376 2.8): a no-break space that was pasted is none, and receivers do not remove it. */
const WHITE_SPACE = /[ \t\r\n]+/g;
/** The name of a tag (RFC 6376 3.2). */
export const TAG_NAME = /^[a-z][a-z0-9_]*$/i;

/** Parses a tag list, `a=b; c=d` (RFC 6376 3.2). Removes white space within values: none of the compared tags has any. */
export function parseTags(text: string): Map<string, string> {
  const pairs = text.split(";").map((pair): [string, string] => {
    const [name = "", ...value] = pair.split("=");
    return [name.replace(WHITE_SPACE, ""), value.join("=").replace(WHITE_SPACE, "")];
  });
  return new Map(pairs);
}

/** Returns the names of all tags of a list as they are written, those that occur twice included. */
export const tagNames = (text: string): string[] =>
  text.split(";").flatMap((pair) => pair.split("=")[0]?.replace(WHITE_SPACE, " ").replace(/^ | $/g, "") || []);
