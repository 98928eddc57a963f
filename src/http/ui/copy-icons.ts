/** Paths of the icons of a button that copies, which the script draws, too (client/copying.ts). */
export const copyIcons = { copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3", check: "M3 8.5 6.5 12 13 4.5" } as const;
