/** CSS properties that cannot load, cover or move anything outside of the message. */
const PROPERTIES =
  /^(?:color|background|background-color|font|font-(?:family|size|style|weight|variant)|text-(?:align|decoration|indent|transform)|line-height|letter-spacing|word-spacing|white-space|word-break|overflow-wrap|direction|vertical-align|(?:margin|padding)(?:-(?:top|right|bottom|left))?|border(?:-(?:top|right|bottom|left))?(?:-(?:color|style|width|radius))?|border-(?:collapse|spacing)|(?:min-|max-)?(?:width|height)|display|float|clear|list-style-type|table-layout|opacity)$/;

/** Functions of CSS that compute a colour; every other one could load something. */
const FUNCTIONS = new Set(["rgb", "rgba", "hsl", "hsla"]);

const MAX_STYLE = 4_096;

/** Returns the allowed declarations of a style attribute, in one spelling: none with escapes, comments or functions but colours. Pure. */
export function filterStyle(style: string): string {
  return style
    .slice(0, MAX_STYLE)
    .split(";")
    .flatMap((declaration) => {
      const colon = declaration.indexOf(":");
      const name = declaration.slice(0, Math.max(colon, 0)).trim().toLowerCase();
      const value = declaration.slice(colon + 1).trim();
      return PROPERTIES.test(name) && isSafe(value) ? [`${name}: ${value}`] : [];
    })
    .join("; ");
}

function isSafe(value: string): boolean {
  if (!/^[\w\s#%.,()+\-'"!]{1,500}$/.test(value)) return false;
  return [...value.matchAll(/([\w-]*)\s*\(/g)].every(([, name = ""]) => FUNCTIONS.has(name.toLowerCase()));
}
