import type { IncomingMessage } from 'node:http';
import { refuse, TokenRefusedError } from '../accounts/oidc/access-token.js';
import type { JudgeLogout } from '../accounts/oidc/back-channel.js';
import type { Admission } from './admission.js';
import type { Page } from './app.js';
import { awaitBody, collectBody, refuseEncoding } from './body.js';
import { bodyLength } from './edge-response.js';
import { HttpError, sendJson } from './reply.js';

/** A logout token and its name, octets. */
const LARGEST = 16_384;
const FORM = /^application\/x-www-form-urlencoded *(?:;|$)/i;

export interface LogoutOptions {
  /** Null where no provider may sign users out. */
  readonly judge: JudgeLogout | null;
  /** Counts forged tokens by the address that sent them: each costs a look at a signature. */
  readonly admission: Admission;
  readonly onRefused: (reason: string) => void;
}

/**
 * Answers POST {base}/oidc/logout: an identity provider says that sign-ins are over (OpenID Connect
 * Back-Channel Logout 1.0, 2.5 to 2.8).
 */
export function logoutPage({ judge, admission, onRefused }: LogoutOptions): Page {
  return async ({ req, res }) => {
    if (judge === null) throw new HttpError(404, 'No identity provider may sign users out here.');
    refuseEncoding(req);
    if (!FORM.test(req.headers['content-type'] ?? ''))
      throw new HttpError(415, 'Send a form: application/x-www-form-urlencoded.');
    awaitBody(req, res);
    const token = new URLSearchParams(await readForm(req)).get('logout_token');
    try {
      if (token === null) refuse('there is no "logout_token"');
      const end = await admission.countForged(req, res, (gate) => judge(token, gate));
      await end();
    } catch (error) {
      if (!(error instanceof TokenRefusedError)) throw error;
      onRefused(error.message);
      const description = `The logout token is refused: ${error.message}.`;
      sendJson(res, 400, { error: 'invalid_request', error_description: description });
      return;
    }
    sendJson(res, 200, {});
  };
}

async function readForm(req: IncomingMessage): Promise<string> {
  const hold = (length: number): void => {
    if (length > LARGEST) throw new HttpError(413, `The form may take ${LARGEST} octets.`);
  };
  const length = bodyLength(req);
  if (length !== Number.POSITIVE_INFINITY) hold(length);
  return (await collectBody(req, { hold, release: () => undefined })).toString();
}
