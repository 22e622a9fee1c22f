import { defineFormat } from './format.js';

const PERCENT = '%[0-9A-Fa-f]{2}';
const PLAIN = "[A-Za-z0-9._~!$&'()*+,;=-]";
const IN_PATH = `(?:${PLAIN}|[:@]|${PERCENT})`;
const IP_LITERAL = `\\[(?:[0-9A-Fa-f:.]+|[vV][0-9A-Fa-f]+\\.(?:${PLAIN}|:)+)\\]`;
const HOST = `(?:${IP_LITERAL}|(?:${PLAIN}|${PERCENT})*)`;
const AUTHORITY = `(?:(?:${PLAIN}|:|${PERCENT})*@)?${HOST}(?::\\d*)?`;
const AFTER_SCHEME =
  `(?://${AUTHORITY}(?:/${IN_PATH}*)*|/(?:${IN_PATH}+(?:/${IN_PATH}*)*)?|` +
  `${IN_PATH}+(?:/${IN_PATH}*)*|)`;
const TAIL = `(?:${IN_PATH}|[/?])*`;
const URI = new RegExp(`^[A-Za-z][A-Za-z0-9+.-]*:${AFTER_SCHEME}(?:\\?${TAIL})?(?:#${TAIL})?$`);

/** RFC 3986's URI: it has a scheme. */
export const uri = defineFormat({
  kind: 'string',
  notation: 'URI',
  description:
    'a URI with its scheme (RFC 3986) and only ASCII, stored as it comes. `maxLength` bounds it.',
  otherNames: ['url', 'iri', 'href'],
  message: 'must be a URI with its scheme, for instance https://example.com/a?b=c',
  isLegal: (text) => URI.test(text),
  canonical: null,
  order: 'none',
  isSearched: true,
  length: null,
  present: null,
  legal: [
    ...(['https://example.com/a?b=c', 'mailto:ann@example.com'] as const),
    ...['urn:example:todos', 'ftp://[2001:db8::7]:21/%C3%A9#x', 'a:'],
  ],
  illegal: [
    ...['', 'example.com', '//example.com/', '/a/b', 'https://example.com/a b', '1a:b'],
    ...['https://example.com/é', 'https://example.com/%zz', 'a:b#c#d', 'https://a[b]/', 'a:\n'],
  ],
  numbered: (n) => `https://example.com/${n}`,
});
