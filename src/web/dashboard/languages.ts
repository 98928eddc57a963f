/** The languages of templates and broadcasts, as a form shows them. */
export const LANGUAGES = {
  placeholders: "Placeholders: {{name}}",
  liquid: "Liquid: conditions, loops, filters",
};
