/** The languages of templates and broadcasts, as a form shows them. */
export const LANGUAGES = [
  { value: "placeholders", label: "Placeholders: {{name}}" },
  { value: "liquid", label: "Liquid: conditions, loops, filters" },
];
