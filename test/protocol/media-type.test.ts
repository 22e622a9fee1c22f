import { describe, expect, it } from 'vitest';
import { isMediaType } from '../../src/protocol/media-type.js';

describe('a media type', () => {
  it.each([
    'text/plain',
    'Application/JSON',
    'application/vnd.api+json',
    'image/svg+xml',
    'text/plain; charset=utf-8',
    'text/plain;charset=utf-8 ; format="flow; \\"ed\\""',
    "multipart/form-data; boundary=----x'(1)".replace("'(1)", "'1"),
    `${'a'.repeat(127)}/${'b'.repeat(127)}`,
    'x-a/y_z.b-c^d',
  ])('%s', (text) => {
    expect(isMediaType(text)).toBe(true);
  });

  it.each([
    '',
    'text',
    'text/',
    '/plain',
    'text/plain/x',
    ' text/plain',
    'text/plain ',
    'text /plain',
    'text/pla in',
    'text/plain;',
    'text/plain; charset',
    'text/plain; charset=',
    'text/plain; =utf-8',
    'text/plain, text/html',
    'text/plain\r\nX-Evil: 1',
    'text/plain; a="\r\nX-Evil: 1"',
    'text/plain; a="open',
    'text/plain\u0000',
    'tëxt/plain',
    '*/*',
    '.a/b',
    `${'a'.repeat(128)}/b`,
    `a/b; c=${'d'.repeat(600)}`,
  ])('refuses %j', (text) => {
    expect(isMediaType(text)).toBe(false);
  });
});
