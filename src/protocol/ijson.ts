import { isUtf8 } from 'node:buffer';
import { RequestError } from './errors.js';
import { excerpt } from './excerpt.js';
import { findDuplicate } from './ijson-duplicates.js';
import { scan } from './ijson-scan.js';
import { countMembers, hasLegalTexts, isLegalText, parseReplaced } from './ijson-walk.js';
import { InexactNumber } from './inexact-number.js';
import type { JsonValue } from './json.js';

export { InexactNumber };

export interface IJsonOptions {
  /** How deep arrays and objects may be nested; 2,500 unless told otherwise. */
  readonly maxDepth?: number;
}

const MAX_DEPTH = 2500;

/**
 * Parses I-JSON (RFC 8620 1.5, RFC 7493). The native parser does the work; one scan before it and one walk after it
 * find what it lets pass. Numbers that would be rounded to an integer become InexactNumber, and -0 is 0 (D4).
 * Throws RequestError `notJSON` for a byte-order mark, octets that aren't UTF-8, wrong syntax, duplicate members,
 * surrogates and noncharacters; `limit` (`maxDepthInRequest`) for what is nested too deep.
 */
export function parseIJson(octets: Uint8Array, options: IJsonOptions = {}): JsonValue {
  if (octets[0] === 0xef && octets[1] === 0xbb && octets[2] === 0xbf) {
    notJson('It starts with a byte-order mark.');
  }
  if (!isUtf8(octets)) notJson('It is not UTF-8.');
  const text = Buffer.from(octets.buffer, octets.byteOffset, octets.length).toString('utf8');
  const maxDepth = options.maxDepth ?? MAX_DEPTH;
  const found = scan(text, maxDepth);
  if (found.tooDeep) {
    const detail = `The request is nested deeper than ${maxDepth} levels.`;
    throw new RequestError('limit', detail, { limit: 'maxDepthInRequest' });
  }
  const root = parse(text);
  if (!isLegalText(text) || (found.hasSuspectEscape && !hasLegalTexts(root))) {
    notJson('A string holds a lone surrogate or a noncharacter, which I-JSON forbids.');
  }
  // The native parser keeps the last of two equal members: then the tree has fewer than the text.
  if (countMembers(root) !== found.members) notJson(findDuplicate(text));
  return found.replacements.length === 0 ? root : parseReplaced(text, found.replacements);
}

function parse(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    // The parser's message quotes the text.
    notJson(excerpt(error instanceof Error ? error.message : String(error)));
  }
}

function notJson(why: string): never {
  throw new RequestError('notJSON', `The request is not I-JSON: ${why}`);
}
