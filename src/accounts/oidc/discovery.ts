import { AnswerError } from '../../outbound/json-client.js';
import { parseUrl } from '../../runtime/parse-url.js';
import { type Claims, claimAt } from './claims.js';

/** Where a provider has what the server asks of it. */
export interface ProviderPlaces {
  readonly jwksUri: URL;
  /** Null: it can't be asked about tokens. */
  readonly introspection: URL | null;
}

/**
 * Reads the JSON at a URL; resolves to undefined where there is no such document. Rejects with
 * AnswerError where the answer is another one, and where none comes.
 */
export type ReadJson = (url: URL) => Promise<unknown>;

/** The document of a provider is not usable. */
export class DiscoveryError extends Error {
  override readonly name = 'DiscoveryError';
}

/**
 * Asks a provider where its keys are: first as RFC 8414 says, then as OpenID Connect Discovery 4
 * does. Rejects with DiscoveryError, and where the provider can't be asked.
 */
export async function discover(issuer: string, read: ReadJson): Promise<ProviderPlaces> {
  const misses: string[] = [];
  for (const place of documentsOf(issuer)) {
    const document = await read(place).catch((error: unknown) => {
      // Some providers answer a path that they don't know with a page, or with a redirect to one.
      if (!(error instanceof AnswerError)) throw error;
      misses.push(error.message);
      return undefined;
    });
    if (document !== undefined) return placesIn(document, issuer, place);
    if (misses.at(-1)?.startsWith(place.href) !== true) misses.push(`${place} has none`);
  }
  throw new DiscoveryError(`There is no document of the issuer: ${misses.join('; ')}.`);
}

/** A slash at the end of an issuer belongs to its name, and not to these paths. */
function documentsOf(issuer: string): readonly URL[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  return [
    new URL(`${origin}/.well-known/oauth-authorization-server${path}`),
    new URL(`${origin}${path}/.well-known/openid-configuration`),
  ];
}

function placesIn(document: unknown, issuer: string, place: URL): ProviderPlaces {
  const isObject = typeof document === 'object' && document !== null;
  const members: Claims = isObject ? (document as Claims) : {};
  const named = claimAt(members, 'issuer');
  if (named !== issuer) {
    throw new DiscoveryError(
      `${place} is the document of ${JSON.stringify(named) ?? 'no issuer'}, not of ` +
        `${JSON.stringify(issuer)}: both must be the same text, a slash at the end included.`,
    );
  }
  const jwksUri = urlAt(members, 'jwks_uri', place);
  if (jwksUri === null) throw new DiscoveryError(`${place} has no "jwks_uri".`);
  return { jwksUri, introspection: urlAt(members, 'introspection_endpoint', place) };
}

/** A provider at https must not lead the server to where everybody can answer. */
function urlAt(members: Claims, name: string, place: URL): URL | null {
  const value = claimAt(members, name);
  if (value === undefined) return null;
  const url = typeof value === 'string' ? parseUrl(value) : null;
  if (url?.protocol === 'https:' || (url !== null && url.protocol === place.protocol)) return url;
  throw new DiscoveryError(`"${name}" in ${place} is no ${place.protocol.slice(0, -1)} URL.`);
}
