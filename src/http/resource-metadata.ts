import type { Page } from './app.js';
import { ANYBODY } from './edge-response.js';
import type { ResourceMetadata } from './identity.js';
import { HttpError, sendJson } from './reply.js';

/** Returns where a resource has its document: in front of the path of its URL (RFC 9728 3.1). */
export function metadataUrl(resource: string): string {
  const { origin, pathname } = new URL(resource);
  return `${origin}/.well-known/oauth-protected-resource${pathname.replace(/\/$/, '')}`;
}

/**
 * Answers GET /.well-known/oauth-protected-resource{base}: a client finds by it where its user
 * signs in. Pages of every origin may read it.
 */
export function resourceMetadataPage(metadata: ResourceMetadata | null): Page {
  return async ({ res }) => {
    if (metadata === null) throw new HttpError(404, 'This server knows no identity provider.');
    const { resource, authorizationServers, scopes } = metadata;
    res.cors = ANYBODY;
    sendJson(res, 200, {
      resource,
      authorization_servers: [...authorizationServers],
      ...(scopes.length === 0 ? {} : { scopes_supported: [...scopes] }),
      bearer_methods_supported: ['header'],
    });
  };
}
