/** Returns whether a statement only reads. */
export const isRead = (sql: string): boolean =>
  /^\s*(select|with)\b/i.test(sql) && !/\b(insert|update|delete|replace)\s/i.test(sql);
