import type { Rule } from './rule.js';

/** Folders of generated/ and device names of Windows. */
const RESERVED = /^(client|standard|con|prn|aux|nul|com\d|lpt\d)$/;
const URL_LIKE = /^(urn:[a-z0-9][a-z0-9-]{0,31}:[^\s]+|https?:\/\/[^\s]+)$/i;

/**
 * Refuses a descriptor's file name that can't become a folder and an identifier, and a capability
 * that is neither a URN nor a URL (RFC 8620 1.8).
 */
export const capabilityNames: Rule = (views, report) => {
  for (const { file, base, root, urn, urnAt } of views) {
    if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(base) || RESERVED.test(base))
      report(
        'bad-file-name',
        { ...root.at, line: 1, column: 1 },
        `${file} can't name a folder of generated/: lower-case letters, digits and hyphens, ` +
          'and none of client, standard, con, nul ...',
      );
    if (urn !== undefined && !URL_LIKE.test(urn))
      report(
        'bad-urn',
        urnAt,
        `${JSON.stringify(urn)} is no capability: it takes a URN or an http(s) URL, for ` +
          `instance urn:example:${base}.`,
      );
  }
};
