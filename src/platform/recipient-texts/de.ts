import type { RecipientTexts } from "./index.ts";

/** Texts for people who get mail, in German. */
export const de: RecipientTexts = {
  skip: "Zum Inhalt",
  optional: "freiwillig",
  correct: "Bitte korrigieren Sie:",
  email: "E-Mail-Adresse",
  writes: (sender, address) => `${sender} schreibt an ${address}.`,
  broken: "Dieser Link funktioniert nicht",
  brokenText: "Der Link ist unvollständig oder führt nirgends mehr hin.",

  leave: "Abmelden",
  leaveTitle: "Möchten Sie sich abmelden?",
  leaveText: "Dieser Absender schickt dann keine Rundmails mehr an Ihre Adresse.",
  leaveTopic: (topic) => `Von ${topic} abmelden`,
  leaveTopicTitle: (topic) => `Von ${topic} abmelden?`,
  leaveAll: "Von allen Rundmails abmelden",
  left: "Sie sind abgemeldet",
  leftTopic: (topic) => `Dieser Absender schickt keine E-Mails über ${topic} mehr an Ihre Adresse.`,
  leftAll: "Sie sind von allen Rundmails dieses Absenders abgemeldet.",
  choose: "Welche E-Mails möchten Sie?",
  topics: "Ihre Themen",
  rejoin: "Wenn Sie ein Thema wählen, darf dieser Absender Ihnen wieder Rundmails schicken.",
  save: "Auswahl speichern",
  saved: "Ihre Auswahl ist gespeichert",

  confirmSubject: (list) => `Bitte bestätigen Sie Ihre Anmeldung zu ${list}`,
  confirmText: (sender, list) =>
    `Bitte bestätigen Sie, dass ${sender} Ihnen die E-Mails der Liste „${list}“ schicken darf. Falls Sie nicht darum gebeten haben, ignorieren Sie diese E-Mail: Sie bekommen dann keine weiteren.`,
  confirmAsk: "Öffnen Sie zur Bestätigung innerhalb von 7 Tagen diesen Link:",
  confirm: "Bestätigen",
  confirmed: "Sie haben bestätigt",
  confirmedText: (sender, list) =>
    `Sie bekommen die E-Mails von ${sender} zur Liste ${list}. Jede enthält einen Link, mit dem Sie sich abmelden können.`,
  expired: "Dieser Link ist abgelaufen",
  expiredText: "Er hat 7 Tage lang funktioniert. Füllen Sie das Formular noch einmal aus, um einen neuen zu bekommen.",

  invalidAddress: "Geben Sie eine gültige E-Mail-Adresse ein",
  missing: (label) => `${label} fehlt`,
  tooLong: (label, most) => `${label} darf höchstens ${most} Zeichen haben`,
  notAllowed: (label) => `${label} hat Zeichen, die nicht erlaubt sind`,
  tooOften: "Das Formular wurde zu oft abgeschickt",

  oldLink: "Die E-Mail mit diesem Link ist hier nicht mehr gespeichert. Der Link führt zu:",
  goOn: (host) => `Weiter zu ${host}`,
  blocked: "Dieser Link ist gesperrt",
  blockedText: "Er führt nicht mehr zu seiner Website.",
};
