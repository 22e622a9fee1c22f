import { ProviderAwayError } from '../../protocol/errors.js';
import { judgeAudience, judgeClaims, refuse, type TokenRules } from './access-token.js';
import { type Claims, textsAt } from './claims.js';

/** An answer to a form that was posted. */
export interface FormAnswer {
  readonly status: number;
  /** The parsed JSON; undefined where the body is none. */
  readonly json: unknown;
}

/** Posts a form with a header Authorization. Rejects where no answer comes. */
export type PostForm = (
  url: URL,
  form: URLSearchParams,
  authorization: string,
) => Promise<FormAnswer>;

export interface IntrospectionOptions {
  readonly endpoint: URL;
  readonly clientId: string;
  readonly secret: string;
  readonly rules: TokenRules;
  readonly post: PostForm;
}

/**
 * Asks the provider about an opaque token (RFC 7662). Resolves to its claims; null where it is not
 * active. Rejects with TokenRefusedError where it is no token for this server, with
 * ProviderAwayError where the provider doesn't say: it may be good.
 */
export async function introspect(
  token: string,
  { endpoint, clientId, secret, rules, post }: IntrospectionOptions,
  now: number,
): Promise<Claims | null> {
  const form = new URLSearchParams({ token, token_type_hint: 'access_token' });
  const answer = await post(endpoint, form, basic(clientId, secret)).catch((cause: unknown) => {
    throw new ProviderAwayError('The identity provider can not be asked about a token.', { cause });
  });
  const claims = claimsOf(answer);
  if (claims['active'] === false) return null;
  if (claims['active'] !== true) throw unusable('its answer has no "active"');
  judgeAnswer(claims, rules, now);
  return claims;
}

function claimsOf({ status, json }: FormAnswer): Claims {
  // 401 and 403 refuse this server's id and secret, not the token.
  if (status !== 200) throw unusable(`it answered ${status}`);
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw unusable('its answer is no object');
  return json as Claims;
}

function judgeAnswer(claims: Claims, rules: TokenRules, now: number): void {
  const { issuer, audience, clockTolerance } = rules;
  const { iss, exp, nbf } = claims;
  const seconds = Math.floor(now / 1000);
  if (iss !== undefined && iss !== issuer) refuse('"iss" is another provider');
  judgeAudience(claims, audience);
  if (exp !== undefined && !(typeof exp === 'number' && exp > seconds - clockTolerance))
    refuse('"exp" is over');
  if (nbf !== undefined && !(typeof nbf === 'number' && nbf <= seconds + clockTolerance))
    refuse('"nbf" is a time to come');
  judgeClaims(claims, seconds + clockTolerance);
  const types = textsAt(claims, 'token_type').map((type) => type.toLowerCase());
  if (types.some((type) => type !== 'bearer' && type !== 'access_token'))
    refuse('"token_type" is another kind');
}

function unusable(problem: string): ProviderAwayError {
  return new ProviderAwayError('The identity provider can not be asked about a token.', {
    cause: new Error(`The identity provider: ${problem}.`),
  });
}

/** RFC 6749 2.3.1: both are encoded as in a form before they are joined. */
function basic(clientId: string, secret: string): string {
  const encode = (text: string): string => new URLSearchParams({ k: text }).toString().slice(2);
  return `Basic ${Buffer.from(`${encode(clientId)}:${encode(secret)}`).toString('base64')}`;
}
