import * as z from "zod";
import { named, timestamp } from "../../../lib/serialize.ts";

const Code = z.string().max(64);

export const CodeIn = z
  .object({ code: Code.describe("The code of the authenticator app, or a recovery code.") })
  .meta(named("TotpCode", { code: "941491" }));

export const TotpSetupOut = z
  .object({
    secret: z.string().describe("Base32, for typing into an authenticator app."),
    otpauth_url: z.string().describe("The same as a URL, for a QR code."),
  })
  .meta(
    named("TotpSetup", {
      secret: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
      otpauth_url:
        "otpauth://totp/Email%20service%3Aada%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Email%20service",
    }),
  );

export const RecoveryCodesOut = z
  .object({ recovery_codes: z.array(z.string()).describe("Each signs in once in place of a code.") })
  .meta(named("RecoveryCodes", { recovery_codes: ["ABCD-EFGH-IJKL-MNOP"] }));

export const TotpOut = z.object({ enabled: z.boolean() }).meta(named("Totp", { enabled: false }));

export const ReauthIn = z
  .object({ code: Code.optional(), token: z.string().max(64).optional().describe("Token of a sign-in link.") })
  .refine(({ code, token }) => (code === undefined) !== (token === undefined), "Give either code or token")
  .meta(named("Reauthentication", { code: "941491" }));

export const ReauthOut = z
  .object({ reauthenticated_at: timestamp })
  .meta(named("Reauthenticated", { reauthenticated_at: "2026-11-21T15:00:00.000Z" }));
