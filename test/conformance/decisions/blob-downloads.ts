import { expect } from 'expect';
import { serverChecks } from '../../../conform/src/check.js';
import {
  findBlobAccounts,
  findBlobCapability,
  HTTP,
} from '../../../conform/src/checks/blob-accounts.js';
import {
  ask,
  download,
  expectNamesKept,
  store,
} from '../../../conform/src/checks/blob-downloads.js';

export const downloadDecisions = serverChecks('6.2', [
  {
    ...HTTP,
    id: 'blob-download-any-name',
    level: 'must',
    rule:
      'There is always a Content-Disposition; backslashes, a path and 300 characters survive in ' +
      'it, and a plain name stands there unchanged.',
    async run(server) {
      await expectNamesKept(server, ['back\\slash.txt', '../../etc/passwd', 'long'.repeat(75)]);
      const { headers } = await download(server, await store(server), { name: 'report.txt' });
      expect(headers.get('content-disposition')).toMatch(/; ?filename="?report\.txt"?$/);
    },
  },
  {
    ...HTTP,
    id: 'blob-download-headers',
    level: 'must',
    rule:
      'Cache-Control is private, immutable, max-age=31536000; content is never sniffed; a type ' +
      'that is none gives way to the stored one.',
    async run(server) {
      const blobId = await store(server);
      for (const type of ['text/plain', 'nonsense', '']) {
        const { status, headers } = await download(server, blobId, { type });
        expect([type, status]).toEqual([type, 200]);
        expect(headers.get('x-content-type-options')).toBe('nosniff');
        expect(headers.get('cache-control')).toBe('private, immutable, max-age=31536000');
        expect(headers.get('content-type')).toMatch(
          type === 'text/plain' ? /^text\/plain\b/ : /^text\/x-stored$/,
        );
      }
    },
  },
  {
    ...HTTP,
    id: 'blob-download-length',
    level: 'must',
    rule: 'A download tells how many octets it has.',
    async run(server) {
      const { headers } = await download(server, await store(server, '0123456789'));
      expect(headers.get('content-length')).toBe('10');
    },
  },
  {
    ...HTTP,
    id: 'blob-download-sandbox',
    level: 'must',
    rule: 'Content that a browser would run is an attachment in a sandbox.',
    async run(server) {
      const blobId = await store(server, '<script>1</script>', 'text/html');
      for (const type of ['text/html', 'image/svg+xml', 'application/xhtml+xml', 'text/xml']) {
        const { headers } = await download(server, blobId, { name: 'page.html', type });
        expect(headers.get('content-disposition')).toMatch(/^attachment\b/);
        expect(headers.get('x-content-type-options')).toBe('nosniff');
        expect(headers.get('content-security-policy')).toMatch(/\bsandbox\b/);
      }
    },
  },
  {
    ...HTTP,
    id: 'blob-download-ranges',
    level: 'must',
    rule: 'A range is 206, one that is not there 416.',
    async run(server) {
      const blobId = await store(server, '0123456789');
      for (const [range, text, content] of [
        ['bytes=2-4', '234', 'bytes 2-4/10'],
        ['bytes=7-', '789', 'bytes 7-9/10'],
        ['bytes=-3', '789', 'bytes 7-9/10'],
        ['bytes=8-99', '89', 'bytes 8-9/10'],
      ] as const) {
        const answer = await ask(server, blobId, { headers: { range } });
        expect([answer.status, answer.text, answer.headers.get('content-range')]).toEqual([
          206,
          text,
          content,
        ]);
      }
      const beyond = await ask(server, blobId, { headers: { range: 'bytes=10-' } });
      expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */10']);
    },
  },
  {
    ...HTTP,
    id: 'blob-download-head',
    level: 'must',
    rule: 'HEAD answers the headers alone.',
    async run(server) {
      const blobId = await store(server, '0123456789');
      const { status, text, headers } = await ask(server, blobId, { method: 'HEAD' });
      expect([status, text, headers.get('content-length')]).toEqual([200, '', '10']);
    },
  },
  {
    ...HTTP,
    id: 'blob-download-refusals-alike',
    level: 'must',
    rule: 'Every blob out of reach is 404, with the same problem.',
    async run(server) {
      const [A1 = '', A2 = A1] = findBlobAccounts(server);
      const { accountId, user } = server.findForeign(findBlobCapability(server));
      const theirs = await user.uploadBlob(accountId, 'theirs', 'text/plain');
      const mine = await store(server);
      const { unknownAccount } = server;
      const places = [
        [A1, 'bnothing'],
        [A1, theirs],
        ...(A2 === A1 ? [] : [[A2, mine] as const]),
        [accountId, theirs],
        [accountId, mine],
        [unknownAccount, mine],
      ] as const;
      const texts = new Set<string>();
      for (const [account, blobId] of places) {
        const { status, headers, text } = await server.user.download(account, blobId);
        expect([account, blobId, status]).toEqual([account, blobId, 404]);
        expect(headers.get('content-type')).toMatch(/^application\/problem\+json\b/);
        texts.add(text.replaceAll(account, '-').replaceAll(blobId, '-'));
      }
      expect(texts.size).toBe(1);
      for (const bad of ['..', '%2e%2e', 'x'.repeat(300), '\0'])
        expect([400, 404]).toContain((await server.user.download(A1, bad)).status);
    },
  },
]);
