import { typeOf } from '../kinds.js';
import { type Located, member, text } from '../located.js';
import type { Rule } from './rule.js';
import { schemasOf } from './schemas.js';

/** `blobId`, `coverBlobId`, or an item, a value or a key of `blobIds`. */
const NAMED_AFTER_BLOBS = /(?:^|\/)(?:blob|[^/]*Blob)Id(?:s\/(?:items|keys|\*))?$/;

/**
 * Warns of texts that are called ids of blobs where the descriptor doesn't say whether they are.
 */
export const unmarkedBlobs: Rule = (views, report) => {
  for (const { label, node, at, use } of views.flatMap(schemasOf)) {
    if (use !== 'property') continue;
    const path = text(member(node, 'setOf')) === 'string' ? `${label}/keys` : label;
    if (!NAMED_AFTER_BLOBS.test(path) || !isText(node) || member(node, 'blob') !== undefined)
      continue;
    report(
      'unmarked-blob',
      at,
      `"${label}" has the name of a blob id, but the descriptor doesn't say whether it is one. ` +
        'Write blob: true: otherwise the server deletes the blob while the object still has its ' +
        'id. Write blob: false where the text is no blob id.',
      { severity: 'warning' },
    );
  }
};

/** Returns whether a node is a text, or a set of texts, that nothing else explains. */
function isText(node: Located): boolean {
  const isFree = ['references', 'enum', 'format'].every((key) => member(node, key) === undefined);
  return isFree && (typeOf(node).type === 'string' || text(member(node, 'setOf')) === 'string');
}
