/** Texts as long as real ones get, for the rows of the seeded pages. */

export const PERSON = "Katharina-Elisabeth Schöneberger-Müller";
export const COMPANY = "Tee- und Kaffeehandlung Schöneberger-Müller & Töchter";
export const DOMAIN = "versand.teehandlung-schoeneberger-mueller.test";
export const ADDRESS = "katharina-elisabeth.schoeneberger-mueller@kundendienst.grosshandel-nordwest.example.org";
/** A word of 90 letters. */
export const WORD = "Donaudampfschifffahrtselektrizitaetenhauptbetriebswerkbauunterbeamtengesellschaftsvorstand";
export const SUBJECT = `Your order 20391 has left our warehouse and arrives between Tuesday and Thursday: ${WORD}`;
