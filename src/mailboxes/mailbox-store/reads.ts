import { describeContents, exportMessages, findImported } from "./archive.ts";
import { listBlockedSenders } from "./blocked-senders.ts";
import { listConversations } from "./conversations.ts";
import { findClaims } from "./draft-claims.ts";
import { fetchMessages } from "./fetch.ts";
import { readFilterRun } from "./filter-run.ts";
import { findFilter, forwardingFilters, listFilters } from "./filters.ts";
import { readChanges, readFolder } from "./folder-state.ts";
import { listFolderStates, listFolders } from "./folders.ts";
import { findImport, listImports } from "./imports.ts";
import { listLabels } from "./labels.ts";
import { openConversation } from "./open-conversation.ts";
import { read } from "./operation.ts";
import { listSections, readQuota } from "./quota.ts";
import {
  findByMessageId,
  findMessage,
  listAddresses,
  listLabelled,
  listMessages,
  listThread,
  searchMessages,
} from "./read.ts";
import { searchByKey } from "./search-by-key.ts";
import { readSignature } from "./signature.ts";

/** The operations that change nothing. */
export const reads = {
  addresses: read(listAddresses),
  describeContents: read(describeContents),
  exportMessages: read(exportMessages),
  fetchMessages: read(fetchMessages),
  filterRun: read(readFilterRun),
  find: read(findMessage),
  findByMessageId: read(findByMessageId),
  findClaims: read(findClaims),
  findFilter: read(findFilter),
  findImport: read(findImport),
  findImported: read(findImported),
  /** Returns what the page needs that writes a message, in one call. */
  forWriting: read((sql) => ({ addresses: listAddresses(sql, ""), signature: readSignature(sql) })),
  list: read(listMessages),
  listBlockedSenders: read(listBlockedSenders),
  listConversations: read(listConversations),
  listFilters: read(listFilters),
  listFolderStates: read(listFolderStates),
  listFolders: read(listFolders),
  listImports: read(listImports),
  listLabelled: read(listLabelled),
  listLabels: read(listLabels),
  forwardingFilters: read(forwardingFilters),
  openConversation: read(openConversation),
  quota: read(readQuota),
  readChanges: read(readChanges),
  readFolder: read(readFolder),
  search: read(searchMessages),
  searchByKey: read(searchByKey),
  sections: read(listSections),
  signature: read(readSignature),
  thread: read(listThread),
};
