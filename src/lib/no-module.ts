/** Replaces a package that is imported and never used (wrangler.toml, alias), to keep the bundle small. */
export {};
