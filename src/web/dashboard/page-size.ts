/** Rows of a page of the lists of the dashboard. */
export const PAGE_SIZE = 50;
