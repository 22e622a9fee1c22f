import { readPlainText } from './body-values.js';
import type { ParsedMessage } from './parse.js';
import type { BodyPart } from './parts.js';

/** A snippet has at most so many octets (RFC 8621 5). */
const MAX_SNIPPET = 255;

/** A snippet shows no more of a text. */
const MAX_TEXT = 2000;

/** So much text stands in front of the first word that was found. */
const CONTEXT = 40;

/** Attributes of HTML whose text people see (RFC 8621 4.4.1). */
const SHOWN_ATTRIBUTES = new Set(['alt', 'title']);

/** Returns the text of all text parts, cut to some characters: what a search looks into. */
export function searchText(message: ParsedMessage, maxLength = 65_535): string {
  let text = '';
  for (const part of listTexts(message.bodyStructure)) {
    if (text.length >= maxLength) break;
    text += `${readPlainText(part, 4 * maxLength, SHOWN_ATTRIBUTES)}\n`;
  }
  return cut(text.replace(/[\s\p{Cc}]+/gu, ' ').trim(), maxLength);
}

function listTexts(part: BodyPart): readonly BodyPart[] {
  if (part.subParts !== null) return part.subParts.flatMap(listTexts);
  return part.type.startsWith('text/') ? [part] : [];
}

/**
 * Returns the part of a text with the first of the words, as HTML in at most `maxOctets`. Each word
 * stands in `<mark>`; without any word it is null. With Infinity for a limit it begins with the
 * text, as subjects do.
 */
export function makeSnippet(
  text: string,
  words: readonly string[],
  maxOctets = MAX_SNIPPET,
): string | null {
  const known = words.map((word) => word.trim()).filter((word) => word !== '');
  if (known.length === 0) return null;
  // The longest word first: "foobar" is marked as a whole where "foo" is looked for too.
  const sorted = known.toSorted((one, other) => other.length - one.length);
  const pattern = new RegExp(sorted.map(escapePattern).join('|'), 'giu');
  const first = text.search(pattern);
  if (first < 0) return null;
  const start = first <= CONTEXT || maxOctets === Infinity ? 0 : findStart(text, first);
  return writeSnippet(text.slice(start, start + MAX_TEXT), pattern, {
    maxOctets,
    isCut: start > 0,
  });
}

/** Returns the begin of a word in front of the first one that was found. */
function findStart(text: string, first: number): number {
  const space = text.slice(first - CONTEXT, first).search(/\s\S/);
  return space < 0 ? first : first - CONTEXT + space + 1;
}

function writeSnippet(
  text: string,
  pattern: RegExp,
  { maxOctets, isCut }: { readonly maxOctets: number; readonly isCut: boolean },
): string {
  const dots = '...';
  let snippet = isCut ? dots : '';
  let at = 0;
  const room = () => maxOctets - Buffer.byteLength(snippet) - dots.length;
  for (const match of text.matchAll(pattern)) {
    const plain = fitHtml(text.slice(at, match.index), room());
    snippet += plain.html;
    const word = plain.isWhole ? fitHtml(match[0], room() - '<mark></mark>'.length) : null;
    if (word === null || word.html === '') return snippet + dots;
    snippet += `<mark>${word.html}</mark>`;
    if (!word.isWhole) return snippet + dots;
    at = match.index + match[0].length;
  }
  const rest = fitHtml(text.slice(at), room());
  return snippet + rest.html + (rest.isWhole ? '' : dots);
}

/** Escapes as many characters as fit into some octets. */
function fitHtml(text: string, maxOctets: number): { html: string; isWhole: boolean } {
  let html = '';
  let octets = 0;
  for (const character of text) {
    const escaped = escapeHtml(character);
    octets += Buffer.byteLength(escaped);
    if (octets > maxOctets) return { html, isWhole: false };
    html += escaped;
  }
  return { html, isWhole: true };
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function escapePattern(word: string): string {
  return word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** Cuts a text between two characters. */
function cut(text: string, maxLength: number): string {
  const start = text.slice(0, maxLength);
  return /[\ud800-\udbff]$/.test(start) ? start.slice(0, -1) : start;
}
