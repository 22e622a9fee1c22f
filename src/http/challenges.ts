import { HttpError } from './reply.js';

const BEARER = 'Bearer realm="jmap"';
const BASIC = 'Basic realm="jmap", charset="UTF-8"';

/** The credentials that the server takes, as it tells them. */
export interface CredentialsOffer {
  /** Where the document of RFC 9728 is; null where there is none. */
  readonly metadataUrl: string | null;
  /** A token of ours may come as the password of Basic authentication. */
  readonly basic: boolean;
}

export const BEARER_ALONE: CredentialsOffer = Object.freeze({ metadataUrl: null, basic: false });

/** Returns a 401; with `error="invalid_token"` where a token was sent (RFC 6750 3.1). */
export function unauthorized(offer: CredentialsOffer, detail: string, isSent: boolean): HttpError {
  return new HttpError(401, detail, challengesOf(offer, isSent ? ['error="invalid_token"'] : []));
}

/** Returns the 401 for a token that means nothing, or nothing any more. */
export function tokenRefused(offer: CredentialsOffer): HttpError {
  return unauthorized(offer, 'The token is unknown, expired or revoked.', true);
}

/**
 * Returns the 403 for a token that reaches too little (RFC 6750 3.1). It names the scope that would
 * do, if there is one.
 */
export function insufficientScope(
  { metadataUrl }: CredentialsOffer,
  detail: string,
  scope: string | undefined,
): HttpError {
  const error = [
    'error="insufficient_scope"',
    ...(scope === undefined ? [] : [`scope="${scope}"`]),
  ];
  return new HttpError(403, detail, challengesOf({ metadataUrl, basic: false }, error));
}

/**
 * Returns the headers that name what the server takes, as names and values in turn: Bearer first,
 * since some clients read one alone.
 */
function challengesOf(
  { metadataUrl, basic }: CredentialsOffer,
  error: readonly string[],
): readonly string[] {
  const pointer = metadataUrl === null ? [] : [`resource_metadata="${metadataUrl}"`];
  const bearer = [BEARER, ...pointer, ...error].join(', ');
  return [...['WWW-Authenticate', bearer], ...(basic ? ['WWW-Authenticate', BASIC] : [])];
}
