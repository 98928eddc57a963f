/** The page of captured mail of a local service, as local.json has it. */
export interface CapturedMail {
  captured_mail_url: string;
}

export interface Captured {
  id: string;
  from: string;
  to: string[];
}

/** Returns the captured mails, newest first. */
export async function captured(local: CapturedMail): Promise<Captured[]> {
  return (await (await fetch(`${local.captured_mail_url}/messages`)).json()) as Captured[];
}

/** Returns a captured mail as it arrived. */
export async function raw(local: CapturedMail, id: string): Promise<Buffer> {
  return Buffer.from(await (await fetch(`${local.captured_mail_url}/messages/${id}`)).arrayBuffer());
}
