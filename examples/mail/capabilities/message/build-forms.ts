import libmime from 'libmime';
import { isObject } from './build-problems.js';
import { writeDate } from './dates.js';
import type { Form } from './forms.js';
import { encodeWords } from './words.js';

/** A form that a client may write: what a value of it is, and how it stands in a message. */
interface WriterRow {
  /** A legal value in words, for the refusal. */
  readonly wanted: string;
  /** Returns the value of the field without the space in front, or null where it isn't legal. */
  write(value: unknown): string | null;
}

const WRITERS: Readonly<Record<Form, WriterRow>> = {
  asRaw: { wanted: 'a text; each line break in it has a space behind it', write: writeRaw },
  asText: { wanted: 'a text', write: (value) => (isText(value) ? encodeWords(value) : null) },
  asAddresses: { wanted: 'a list of { name, email }', write: writeAddresses },
  asGroupedAddresses: { wanted: 'a list of { name, addresses }', write: writeGroups },
  asMessageIds: {
    wanted: 'a list of ids without angle brackets and spaces',
    write: (value) => writeBracketed(value, ' '),
  },
  asDate: {
    wanted: 'a Date, such as 2018-07-10T11:03:11+10:00',
    write: (value) => (isText(value) ? writeDate(value) : null),
  },
  asURLs: {
    wanted: 'a list of URLs without spaces',
    write: (value) => writeBracketed(value, ', '),
  },
};

/** Returns the value of a field as it stands in a message, or null where it isn't legal. */
export function writeForm(form: Form, value: unknown): string | null {
  return WRITERS[form].write(value);
}

/** Returns in words what a value of a form is. */
export function tellForm(form: Form): string {
  return WRITERS[form].wanted;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** A line break that nothing folds would begin another field. */
function writeRaw(value: unknown): string | null {
  if (!isText(value) || /\0|\r(?!\n)|\n(?![ \t])/.test(value)) return null;
  // Lines of white space alone end a header in some programs.
  return /\n[ \t]*(\r|\n|$)/.test(value) ? null : value.replace(/\r?\n/g, '\r\n');
}

function writeBracketed(value: unknown, between: string): string | null {
  if (!Array.isArray(value) || value.length === 0) return null;
  const isEach = value.every((item) => isText(item) && /^[^\s<>\p{Cc}]+$/u.test(item));
  return isEach ? value.map((item) => `<${item}>`).join(between) : null;
}

function writeAddresses(value: unknown): string | null {
  if (!Array.isArray(value)) return null;
  const addresses = value.map(writeAddress);
  return addresses.includes(null) ? null : addresses.join(', ');
}

/** Writes a mailbox. A draft may have an address that is none yet, but no other field in it. */
function writeAddress(value: unknown): string | null {
  if (!isObject(value)) return null;
  const { name = null, email } = value;
  if (!isText(email) || /[\p{Cc}<>]/u.test(email) || Object.keys(value).length > 2) return null;
  if (name === null || name === '') return /[\s,;:()]/.test(email) ? `<${email}>` : email;
  return isText(name) ? `${writePhrase(name)} <${email}>` : null;
}

function writeGroups(value: unknown): string | null {
  if (!Array.isArray(value)) return null;
  const groups = value.map((group) => {
    const addresses = isObject(group) ? writeAddresses(group['addresses']) : null;
    const name = isObject(group) ? group['name'] : undefined;
    if (addresses === null) return null;
    if (name === null || name === undefined) return addresses;
    return isText(name) ? `${writePhrase(name)}: ${addresses};` : null;
  });
  return groups.includes(null) ? null : groups.join(', ');
}

/** Writes a name in quotes, or as encoded words where it isn't ASCII. */
function writePhrase(name: string): string {
  const encoded = encodeWords(name);
  return encoded.includes('=?') ? encodePhrase(name) : `"${encoded.replace(/["\\]/g, '\\$&')}"`;
}

/** In a phrase all of a name is encoded: what stands beside encoded words has fewer characters. */
function encodePhrase(name: string): string {
  return libmime.encodeWord(name.replace(/\p{Cc}+/gu, ' '), 'Q', 52);
}
