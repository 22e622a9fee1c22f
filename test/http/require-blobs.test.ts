import { describe, expect, it } from 'vitest';
import type { AccessMode } from '../../src/accounts/principal.js';
import type { OAuthScopes } from '../../src/capability/capability-definition.js';
import { OWN_TOKENS } from '../../src/http/identity.js';
import { HttpError } from '../../src/http/reply.js';
import { requireBlobs } from '../../src/http/require-blobs.js';
import { createRegistry } from '../../src/methods/registry.js';
import { tokenPrincipal } from '../accounts/token-principal.js';
import { registry as generated } from '../support/registry.js';

const BLOB = 'urn:ietf:params:jmap:blob';

/** The status and the challenge that a principal gets, with these scopes of the capability. */
function refusal(
  mode: AccessMode | 'none' | 'all',
  needed: AccessMode,
  oauthScopes?: OAuthScopes,
): readonly unknown[] | null {
  const definitions = generated.map((each) =>
    each.urn === BLOB && oauthScopes !== undefined ? { ...each, oauthScopes } : each,
  );
  const modes = new Map(mode === 'read' || mode === 'full' ? [[BLOB, mode] as const] : []);
  const principal = { ...tokenPrincipal('u', 't'), capabilities: mode === 'all' ? null : modes };
  try {
    requireBlobs(
      { registry: createRegistry(definitions), blobCapability: BLOB, identity: OWN_TOKENS },
      principal,
      needed,
    );
    return null;
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    return [error.status, ...error.headers];
  }
}

const challenge = (scope = '') => [
  403,
  'WWW-Authenticate',
  `Bearer realm="jmap", error="insufficient_scope"${scope}`,
];

describe('RFC 6750 3.1: a token that may not use blobs so far', () => {
  it('gets through with the mode that is needed, or a wider one', () => {
    for (const mode of ['read', 'full', 'all'] as const) expect(refusal(mode, 'read')).toBe(null);
    for (const mode of ['full', 'all'] as const) expect(refusal(mode, 'full')).toBe(null);
  });

  it('is told which scope would do, the narrowest that there is', () => {
    const both = { full: 'blobs', read: 'blobs.read' };
    expect(refusal('none', 'read', both)).toEqual(challenge(', scope="blobs.read"'));
    expect(refusal('none', 'full', both)).toEqual(challenge(', scope="blobs"'));
    expect(refusal('read', 'full', both)).toEqual(challenge(', scope="blobs"'));
    expect(refusal('none', 'read', { full: 'blobs' })).toEqual(challenge(', scope="blobs"'));
  });

  it('is told no scope where there is none', () => {
    expect(refusal('none', 'read')).toEqual(challenge());
    expect(refusal('read', 'full')).toEqual(challenge());
  });
});
