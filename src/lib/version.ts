/** Version of this program, as in package.json. `npm run release` writes both. */
export const VERSION = "0.2.0";
