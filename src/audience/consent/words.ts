import { textsIn } from "../../platform/recipient-texts/index.ts";

/** The texts of the confirmation mails of a list. Null: the default. */
export interface ConfirmationTexts {
  name: string;
  confirm_subject: string | null;
  confirm_text: string | null;
}

/** The words of a confirmation mail, which are kept as evidence. */
export interface MailWords {
  kind: "confirmation";
  list: string;
  workspace: string;
  subject: string;
  text: string;
  button: string;
  /** Absent in words of before it was stored: English. */
  language?: string | undefined;
}

/** Returns the words of the confirmation mail of a list in a language. Pure. */
export function mailWordsOf(list: ConfirmationTexts, workspace: string, language: string): MailWords {
  const texts = textsIn(language);
  return {
    kind: "confirmation",
    list: list.name,
    workspace,
    subject: list.confirm_subject ?? texts.confirmSubject(list.name),
    text: list.confirm_text ?? texts.confirmText(workspace, list.name),
    button: texts.confirm,
    language,
  };
}
