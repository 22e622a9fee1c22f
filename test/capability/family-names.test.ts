import { expect, it } from 'vitest';
import { type NameFamily, parseFamilyName } from '../../src/capability/family-names.js';

const HEADER: NameFamily = {
  name: 'header:*',
  parts: [
    { key: 'field' },
    { key: 'form', values: ['asText', 'asDate'], optional: true },
    { key: 'all', values: ['all'], optional: true },
  ],
};

it.each([
  ['header:Subject', { field: 'Subject' }],
  ['header:Subject:asText', { field: 'Subject', form: 'asText' }],
  ['header:Subject:all', { field: 'Subject', all: 'all' }],
  ['header:Subject:asDate:all', { field: 'Subject', form: 'asDate', all: 'all' }],
  ['header:all', { field: 'all' }],
  ['header:__proto__', { field: '__proto__' }],
])('RFC 8621 4.1.3: %s is divided into its parts', (name, parts) => {
  expect(parseFamilyName(HEADER, name)).toEqual({ name, ...parts });
});

it.each([
  ['header:', '"field" is missing'],
  ['header::asText', '"field" is missing'],
  ['header:A:asRaw', '"form" is one of asText, asDate'],
  ['header:A:all:asText', '"form" is one of asText, asDate'],
  ['header:A:asText:all:more', 'it has further parts'],
  ['header:A:', '"form" is one of asText, asDate'],
  [`header:${'a'.repeat(300)}`, 'a name has at most 255 characters'],
])('tells why %s is no name of a family', (name, why) => {
  expect(parseFamilyName(HEADER, name)).toBe(why);
});
