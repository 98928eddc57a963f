/** Rows of one page of an export, by section. The metadata of a contact has up to 64 KiB. */
export const limits = {
  contacts: 50,
  consents: 200,
  events: 200,
  runs: 50,
  emails: { default: 200, max: 200 },
} as const;
