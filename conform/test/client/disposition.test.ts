import contentDisposition from 'content-disposition';
import { describe, expect, it } from 'vitest';
import { readFileName } from '../../src/client/disposition.js';

describe('the file name of a Content-Disposition', () => {
  it.each([
    'report.txt',
    'two words.txt',
    'quo"te.txt',
    'semi;colon=1.txt',
    'percent%41.txt',
    'Åland 🦊.txt',
    "it's (1).txt",
  ])('%s is what a library of the wild wrote', (name) => {
    expect(readFileName(contentDisposition(name))).toBe(name);
    expect(readFileName(contentDisposition(name, { type: 'inline' }))).toBe(name);
  });

  it('is the extended one where both are there, in any order and letter case', () => {
    expect(readFileName('attachment; FILENAME*=utf-8\'en\'a%20b; filename="c"')).toBe('a b');
    expect(readFileName('inline;filename=c;size=3')).toBe('c');
  });

  it.each([
    'attachment',
    '',
    'attachment; filename=two words',
    'attachment; filename="open',
    'attachment; filename=a; filename=b',
    "attachment; filename*=UTF-8''%zz",
    "attachment; filename*=latin1''a",
  ])('is none in %s', (header) => {
    expect(readFileName(header)).toBeNull();
  });
});
