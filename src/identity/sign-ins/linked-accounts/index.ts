export { announceLink, linkStatement, type Provider, type ProviderAccount, providerNames } from "./link.ts";
export { type LinkedAccountRow, listLinkedAccounts } from "./list.ts";
export { unlinkAccount } from "./unlink.ts";
