import libmime from 'libmime';
import { decode as decodeQuotedPrintable } from 'libqp';
import { decodeText, findCharset } from './charsets.js';

/** An encoded word of RFC 2047. */
interface EncodedWord {
  readonly charset: string;
  readonly octets: Uint8Array;
}

/** A whole word between white space: charset, language (RFC 2231), encoding, text. */
const ENCODED_WORD = /^=\?([^\s?*=]+)(?:\*[^\s?]*)?\?([bq])\?([!->@-~]*)\?=$/i;

/**
 * Returns a text with its encoded words decoded (RFC 2047). A word that isn't whole, has spaces in
 * it or an unknown charset stays as it is. Control characters that were encoded are dropped.
 */
export function decodeWords(text: string): string {
  if (!text.includes('=?')) return text;
  const pieces = text.split(/([ \t\r\n]+)/);
  let decoded = '';
  let gap = '';
  let run: EncodedWord[] = [];
  const charsets = new Map<string, boolean>();
  const isKnown = (charset: string) => {
    const known = charsets.get(charset) ?? findCharset(charset) !== null;
    charsets.set(charset, known);
    return known;
  };
  for (let at = 0; at < pieces.length; at += 2) {
    const piece = pieces[at] ?? '';
    const word = readWord(piece, isKnown);
    if (word === null) {
      decoded += decodeRun(run) + gap + piece;
      run = [];
    } else {
      if (run.length === 0) decoded += gap;
      run.push(word);
    }
    gap = pieces[at + 1] ?? '';
  }
  return decoded + decodeRun(run) + gap;
}

function readWord(piece: string, isKnown: (charset: string) => boolean): EncodedWord | null {
  const [, charset, encoding, text] = ENCODED_WORD.exec(piece) ?? [];
  if (charset === undefined || text === undefined || !isKnown(charset)) return null;
  if (encoding?.toLowerCase() === 'q')
    return { charset, octets: decodeQuotedPrintable(text.replaceAll('_', '=20')) };
  if (!/^[a-z0-9+/]*=*$/i.test(text)) return null;
  return { charset, octets: Buffer.from(text, 'base64') };
}

/** Decodes adjacent words, and those of one charset as one: mailers cut characters in two. */
function decodeRun(run: readonly EncodedWord[]): string {
  let text = '';
  for (let at = 0; at < run.length; ) {
    const charset = run[at]?.charset ?? '';
    const octets: Uint8Array[] = [];
    for (; run[at]?.charset === charset; at += 1) octets.push(run[at]?.octets ?? new Uint8Array());
    text += decodeText(Buffer.concat(octets), charset).value.replace(/\p{Cc}/gu, '');
  }
  return text;
}

/** Returns a text of one line as it may stand in a header field: in ASCII, with encoded words. */
export function encodeWords(text: string): string {
  const line = text.replace(/\p{Cc}+/gu, ' ');
  // A text that looks encoded would be decoded when it is read.
  if (line.includes('=?')) return libmime.encodeWord(line, 'Q', 52);
  return libmime.encodeWords(line, 'Q', 52);
}
