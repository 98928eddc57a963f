/**
 * Returns SQL of the rows (address, mailbox_id, domain_id) of a workspace's mailboxes and aliases with some addresses. A catch-all has
 * none. `workspace` is an expression, `addresses` the list after IN. Each table is read by its index: one view of both would be scanned
 * in joins.
 */
export const mailboxAddressesSql = (workspace: string, addresses: string): string => `
  SELECT address, id AS mailbox_id, domain_id FROM mailboxes
   WHERE workspace = ${workspace} AND address IN ${addresses} AND local_part <> '*'
  UNION ALL
  SELECT address, mailbox_id, domain_id FROM mailbox_aliases WHERE workspace = ${workspace} AND address IN ${addresses}`;
