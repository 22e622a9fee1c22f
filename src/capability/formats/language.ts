import { defineFormat } from './format.js';

/** RFC 5646 2.1, in any letter case. */
const LANGUAGE = '(?:[a-z]{2,3}(?:-[a-z]{3}){0,3}|[a-z]{4,8})';
const VARIANT = '(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3})';
const EXTENSION = '[0-9a-wyz](?:-[a-z0-9]{2,8})+';
const PRIVATE = 'x(?:-[a-z0-9]{1,8})+';
const TAG = new RegExp(
  `^(?:${LANGUAGE}(?:-[a-z]{4})?(?:-(?:[a-z]{2}|[0-9]{3}))?(?:-${VARIANT})*` +
    `(?:-${EXTENSION})*(?:-${PRIVATE})?|${PRIVATE})$`,
  'i',
);

/** The tags of RFC 5646 2.1 that the grammar of the others does not allow. */
const IRREGULAR: ReadonlySet<string> = new Set([
  ...['en-gb-oed', 'i-ami', 'i-bnn', 'i-default', 'i-enochian', 'i-hak', 'i-klingon', 'i-lux'],
  ...['i-mingo', 'i-navajo', 'i-pwn', 'i-tao', 'i-tay', 'i-tsu', 'sgn-be-fr', 'sgn-be-nl'],
  'sgn-ch-de',
]);

/** Octets of a tag. RFC 5646 4.4.1 asks for room for 35. */
const LONGEST = 100;

function isLanguage(text: string): boolean {
  if (text.length > LONGEST) return false;
  return IRREGULAR.has(text.toLowerCase()) || (TAG.test(text) && !hasDoubles(text));
}

/** 2.2.5 and 2.2.6: no variant and no singleton stands twice in a tag. */
function hasDoubles(text: string): boolean {
  const tags = text.toLowerCase().split('-');
  const end = tags.indexOf('x');
  const known = end === -1 ? tags : tags.slice(0, end);
  const first = known.findIndex(({ length }) => length === 1);
  const variants = known.slice(1, first === -1 ? undefined : first).filter(isVariant);
  const singletons = known.filter(({ length }) => length === 1);
  return [variants, singletons].some((list) => new Set(list).size < list.length);
}

function isVariant(tag: string): boolean {
  return tag.length > 4 || /^\d...$/.test(tag);
}

/**
 * Returns a tag in the letter case of RFC 5646 2.1.1: `zh-Hant-TW`. Nothing is replaced, so the
 * result is the same on every Node.
 */
function canonicalLanguage(text: string): string {
  const tags = text.toLowerCase().split('-');
  return tags
    .map((tag, at) => {
      if (at === 0 || tags[at - 1]?.length === 1) return tag;
      if (tag.length === 2) return tag.toUpperCase();
      return tag.length === 4 ? tag.charAt(0).toUpperCase() + tag.slice(1) : tag;
    })
    .join('-');
}

/** BCP 47's language tag. */
export const language = defineFormat({
  kind: 'string',
  notation: 'LanguageTag',
  description:
    'a well-formed language tag (BCP 47), stored in the letter case of RFC 5646 2.1.1: `EN-gb` ' +
    'as `en-GB`.',
  otherNames: ['lang', 'locale', 'bcp47', 'languagetag'],
  message: 'must be a language tag, for instance en-GB',
  isLegal: isLanguage,
  canonical: canonicalLanguage,
  order: 'none',
  length: LONGEST,
  present: null,
  legal: [
    ...(['en-GB', 'de'] as const),
    ...['ZH-hant-tw', 'sl-rozaj-biske', 'de-CH-1996', 'en-a-bbb-x-a', 'x-whatever', 'I-KLINGON'],
  ],
  illegal: [
    ...['', 'en_GB', 'e', 'en-', 'english language', 'de-1996-1996', 'en-a-bb-a-cc'],
    ...['deutschland', 'en-x', 'x'.repeat(LONGEST + 1)],
  ],
  numbered: (n) => `en-x-n${n.toString(36)}`,
});
