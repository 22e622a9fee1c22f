import { decodeText } from './charsets.js';
import { readHtml } from './html.js';
import type { BodyPart } from './parts.js';

/** The text of a part (RFC 8621 4.1.4). */
export interface BodyValue {
  readonly value: string;
  readonly isEncodingProblem: boolean;
  readonly isTruncated: boolean;
}

/** A preview has at most so many characters (RFC 8621 4.1.4). */
const MAX_PREVIEW = 256;

/** A preview is made of this much of the first texts. */
const PREVIEW_OCTETS = 65_536;

/** Returns the text of a part, cut to some octets of UTF-8 where `maxOctets` isn't 0. */
export function readBodyValue(part: BodyPart, maxOctets = 0): BodyValue {
  const { value: text, isProblem } = decodeText(part.content, part.charset);
  const lines = text.replaceAll('\r\n', '\n').replaceAll('\0', '');
  const value = maxOctets > 0 ? cutText(lines, maxOctets, part.type === 'text/html') : lines;
  const isEncodingProblem = isProblem || part.isEncodingUnknown;
  return { value, isEncodingProblem, isTruncated: value.length < lines.length };
}

/** Cuts a text between two characters, and in HTML in front of a tag rather than within it. */
function cutText(text: string, maxOctets: number, isHtml: boolean): string {
  // One character has at least one octet: what is behind can't be in the result.
  const start = Buffer.from(text.slice(0, maxOctets + 1));
  if (start.length <= maxOctets && text.length <= maxOctets) return text;
  let end = maxOctets;
  while (end > 0 && ((start[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  const cut = start.subarray(0, end).toString();
  const tag = isHtml ? cut.lastIndexOf('<') : -1;
  return tag > cut.lastIndexOf('>') ? cut.slice(0, tag) : cut;
}

/** Returns the text of a part that people read: HTML without its tags, but for some attributes. */
export function readPlainText(
  part: BodyPart,
  maxOctets = 0,
  attributes?: ReadonlySet<string>,
): string {
  const { value } = readBodyValue(part, maxOctets);
  return part.type === 'text/html' ? readHtml(value, attributes) : value;
}

/** Returns the first words of a message, without what it quotes. */
export function makePreview(textBody: readonly BodyPart[]): string {
  let preview = '';
  for (const part of textBody) {
    if (preview.length >= MAX_PREVIEW) break;
    if (!part.type.startsWith('text/')) continue;
    const lines = readPlainText(part, PREVIEW_OCTETS).split('\n');
    const own = lines.filter((line) => !line.startsWith('>')).join(' ');
    preview = `${preview} ${own}`.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  }
  return Array.from(preview.slice(0, 2 * MAX_PREVIEW))
    .slice(0, MAX_PREVIEW)
    .join('');
}
