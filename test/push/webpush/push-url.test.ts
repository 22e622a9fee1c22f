import { describe, expect, it } from 'vitest';
import { parsePushUrl } from '../../../src/push/webpush/push-url.js';

describe('the form of a URL', () => {
  it.each([
    ['https://push.example.com/a?b=c', 'https://push.example.com/a?b=c'],
    ['HTTPS://Push.Example.com', 'https://push.example.com/'],
    ['https://push.example.com:443/', 'https://push.example.com/'],
    ['https://push.example.com:8443/', 'https://push.example.com:8443/'],
    ['https://xn--bcher-kva.example/', 'https://xn--bcher-kva.example/'],
    ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
    ['https://раypal.example/', 'https://xn--ypal-43d9g.example/'],
    ['https://0x7f.1/', 'https://127.0.0.1/'],
    ['https://2130706433/', 'https://127.0.0.1/'],
    ['https://[0:0::1]/', 'https://[::1]/'],
  ])('%s becomes %s', (text, normal) => {
    expect(parsePushUrl(text)).toEqual(new URL(normal));
  });

  it.each([
    ['http://example.com/', 'must begin with https:// and a host'],
    ['ftp://example.com/', 'must begin with https:// and a host'],
    ['/push/1', 'must begin with https:// and a host'],
    ['example.com', 'must begin with https:// and a host'],
    ['', 'must begin with https:// and a host'],
    ['https:example.com', 'must begin with https:// and a host'],
    ['https:///example.com', 'must begin with https:// and a host'],
    ['https://?a', 'must begin with https:// and a host'],
    [' https://example.com/', 'must begin with https:// and a host'],
    ['https://user:pass@example.com/', 'must have no user and no password'],
    ['https://@example.com/', 'must have no user and no password'],
    ['https://example.com/#a', 'must have no fragment'],
    ['https://example.com/#', 'must have no fragment'],
    ['https://example.com#@8.8.8.8/', 'must have no fragment'],
    ['https://example.com./', 'must have a host without a dot at its end'],
    ['https://[fe80::1%25eth0]/', 'must be a URL with a valid host and port'],
    ['https://exa mple.com/', 'must have no white space, control character or backslash'],
    ['https://example.com/\n', 'must have no white space, control character or backslash'],
    ['https://exam\tple.com/', 'must have no white space, control character or backslash'],
    ['https://exam\u00adple.com/', 'must have no white space, control character or backslash'],
    ['https://example.com\\@8.8.8.8/', 'must have no white space, control character or backslash'],
    ['https://example.com:99999/', 'must be a URL with a valid host and port'],
    ['https://example.com:x/', 'must be a URL with a valid host and port'],
    ['https://1.2.3.256/', 'must be a URL with a valid host and port'],
    ['https://a%00b/', 'must be a URL with a valid host and port'],
    ['https://example.com:25/', 'must have no port of another protocol, such as 25'],
    ['https://example.com:0/', 'must have no port of another protocol, such as 0'],
    ['https://example.com:6667/', 'must have no port of another protocol, such as 6667'],
  ])('%j is refused', (text, problem) => {
    expect(parsePushUrl(text)).toEqual({ problem });
  });

  it('has at most 2,048 characters', () => {
    const longest = `https://example.com/${'a'.repeat(2028)}`;
    expect(parsePushUrl(longest)).toBeInstanceOf(URL);
    const problem = 'must have at most 2048 characters, not 2049';
    expect(parsePushUrl(`${longest}a`)).toEqual({ problem });
  });
});
