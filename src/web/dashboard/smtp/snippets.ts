/** Returns programs that send an email by a credential, by name. They read the password from the environment. */
export const snippetsOf = (host: string, port: number, username: string): Record<string, string> => ({
  "Node.js (nodemailer)": `import { createTransport } from "nodemailer";

const transport = createTransport({
  host: "${host}",
  port: ${port},
  requireTLS: true,
  auth: { user: "${username}", pass: process.env.SMTP_PASSWORD },
});
await transport.sendMail({ from: FROM, to: "ada@example.org", subject: "Your receipt", text: "Thank you." });`,
  "Python (smtplib)": `import os, smtplib, ssl
from email.message import EmailMessage

message = EmailMessage()
message["From"], message["To"], message["Subject"] = FROM, "ada@example.org", "Your receipt"
message.set_content("Thank you.")
with smtplib.SMTP("${host}", ${port}) as server:
    server.starttls(context=ssl.create_default_context())
    server.login("${username}", os.environ["SMTP_PASSWORD"])
    server.send_message(message)`,
  "PHP (Symfony Mailer)": `MAILER_DSN="smtp://${encodeURIComponent(username)}:$SMTP_PASSWORD@${host}:${port}"`,
});
