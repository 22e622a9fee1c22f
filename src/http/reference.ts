import { createHash } from 'node:crypto';
import type { CapabilityDefinition } from '../capability/capability-definition.js';
import type { Page } from './app.js';
import { edgeHeaders, send } from './edge-response.js';
import { HttpError } from './reply.js';

interface Reference {
  readonly octets: Buffer;
  readonly etag: string;
}

/**
 * Answers GET {base}/jmap/reference?capability={capability} with a capability's descriptor for
 * clients.
 */
export function referencePage(capabilities: ReadonlyMap<string, CapabilityDefinition>): Page {
  const references = new Map<string, Reference>();
  return async ({ req, res, query }) => {
    const [urn, ...more] = query.getAll('capability');
    if (urn === undefined || more.length > 0)
      throw new HttpError(400, 'Name one capability: ?capability=');
    const text = capabilities.get(urn)?.reference;
    if (text === undefined) throw new HttpError(404, 'There is no such capability.');
    const { octets, etag } = references.get(urn) ?? referenceOf(text);
    references.set(urn, { octets, etag });
    // It is the same for all users, and changes with the server's descriptors alone.
    const headers = ['ETag', etag, 'Cache-Control', 'private, no-cache'];
    if (isKnown(req.headers['if-none-match'], etag)) {
      // Without a length: it would be that of the 200 (RFC 9110 8.6).
      res.writeHead(304, [...edgeHeaders(res), ...headers]);
      res.end();
      return;
    }
    send(res, 200, ['Content-Type', 'application/json', ...headers], octets);
  };
}

function referenceOf(text: string): Reference {
  const hash = createHash('sha256').update(text, 'utf8').digest('base64url').slice(0, 22);
  return { octets: Buffer.from(text, 'utf8'), etag: `"${hash}"` };
}

/** RFC 9110 13.1.2: `*`, or a list with the tag; weak ones are compared as they are. */
function isKnown(header: string | undefined, etag: string): boolean {
  const tags = header?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? [];
  return tags.includes(etag) || tags.includes('*');
}
