import { expect } from 'expect';
import { serverChecks } from '../check.js';
import { fileNameOf } from '../client/disposition.js';
import type { HttpAnswer, HttpRequest } from '../client/http.js';
import { asMap } from '../client/json.js';
import { unauthenticated } from '../refusal.js';
import type { Server } from '../subject/server.js';
import {
  blobAccount,
  blobAccounts,
  blobCapability,
  octetsOf,
  withoutBlobs,
} from './blob-accounts.js';

/** RFC 8620 6.2: what the download URL answers. */

const HTTP = { applies: withoutBlobs, transport: 'http' } as const;

const DAY = 86_400;

const isRefusal = ({ status }: HttpAnswer): boolean => status >= 400 && status < 500;

const stored = (server: Server, body: string | Uint8Array = 'content', type = 'text/x-stored') =>
  server.user.uploaded(blobAccount(server), body, type);

const download = (server: Server, blobId: string, variables?: { name?: string; type?: string }) =>
  server.user.download(blobAccount(server), blobId, variables);

/** A request of any kind to the download URL. */
function ask(server: Server, blobId: string, request: HttpRequest): Promise<HttpAnswer> {
  const variables = { accountId: blobAccount(server), blobId, name: 'x', type: 'text/plain' };
  return server.user.http.send(server.user.session.expand('downloadUrl', variables), request);
}

const NAMES = [
  'report.txt',
  'two words.txt',
  'quo"te.txt',
  'semi;colon=1.txt',
  'percent%41.txt',
  'Åland 🦊.txt',
  "it's (1).txt",
];

/** Where a Content-Disposition is sent, it has the name that was asked for. */
async function namesSurvive(server: Server, names: readonly string[]): Promise<void> {
  const blobId = await stored(server);
  for (const name of names) {
    const answer = await download(server, blobId, { name });
    expect([name, answer.status, answer.text]).toEqual([name, 200, 'content']);
    const header = answer.headers.get('content-disposition');
    if (header !== null) expect([header, fileNameOf(header)]).toEqual([header, name]);
  }
}

const INJECTIONS = [
  '\r\nX-Injected: 1',
  'a\nX-Injected:1',
  'a\rX-Injected:1',
  '\0',
  // Cut to their low octets these are CR and LF.
  'čĊX-Injected: 1',
  'a"\r\nX-Injected: 1',
];

export const downloadChecks = serverChecks('6.2', [
  {
    ...HTTP,
    id: 'blob-download-octets',
    level: 'must',
    rule: 'A download answers exactly the octets that were uploaded, every time, with their number.',
    async run(server) {
      const octets = octetsOf(server, 300_000);
      const blobId = await stored(server, octets);
      for (const type of ['application/x-random', 'text/plain']) {
        const answer = await download(server, blobId, { type });
        expect(answer.status).toBe(200);
        expect(answer.octets.equals(octets)).toBe(true);
        // RFC 9112 6.3: it may be left out, never be wrong.
        const length = answer.headers.get('content-length');
        if (length !== null || server.isOurs) expect(length).toBe('300000');
      }
    },
  },
  {
    ...HTTP,
    id: 'blob-download-type',
    level: 'must',
    rule: 'Content-Type is the type that the URL asks for, whatever the upload said.',
    async run(server) {
      const blobId = await stored(server);
      for (const type of ['text/plain', 'image/png', 'application/x-conform+thing']) {
        const { status, headers } = await download(server, blobId, { type });
        const told = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
        expect([status, told]).toEqual([200, type]);
      }
    },
  },
  {
    ...HTTP,
    id: 'blob-download-name',
    level: 'must',
    rule: 'Where there is a Content-Disposition, its file name is the name that the URL asks for, whatever signs it has.',
    run: (server) => namesSurvive(server, NAMES),
  },
  {
    ...HTTP,
    id: 'blob-download-any-name',
    level: 'decision',
    rule: 'There is always a Content-Disposition; backslashes, a path and 300 characters survive in it, and a plain name stands there unchanged (decision 22).',
    async run(server) {
      await namesSurvive(server, ['back\\slash.txt', '../../etc/passwd', 'long'.repeat(75)]);
      const { headers } = await download(server, await stored(server), { name: 'report.txt' });
      expect(headers.get('content-disposition')).toMatch(/; ?filename="?report\.txt"?$/);
    },
  },
  {
    ...HTTP,
    id: 'blob-download-no-injection',
    level: 'must',
    rule: 'Neither a name nor a type can add a header to the answer.',
    async run(server) {
      const blobId = await stored(server);
      for (const bad of INJECTIONS)
        for (const variables of [{ name: bad }, { type: `text/plain${bad}` }]) {
          const answer = await download(server, blobId, variables);
          expect(answer.headers.get('x-injected')).toBeNull();
          expect(answer.status === 200 || isRefusal(answer)).toBe(true);
          if (answer.status === 200) expect(answer.text).toBe('content');
        }
    },
  },
  {
    ...HTTP,
    id: 'blob-download-cache',
    level: 'should',
    rule: 'A download may be cached for long: Cache-Control has immutable and a max-age of a day or more, and does not make it public.',
    async run(server) {
      const { headers } = await download(server, await stored(server));
      const control = (headers.get('cache-control') ?? '').toLowerCase();
      expect(control).toMatch(/\bimmutable\b/);
      const [, age = '0'] = /\bmax-age="?(\d+)/.exec(control) ?? [];
      expect(Number(age)).toBeGreaterThanOrEqual(DAY);
      expect(control).not.toMatch(/\b(no-store|no-cache|public)\b/);
    },
  },
  {
    ...HTTP,
    id: 'blob-download-refusal-cache',
    level: 'should',
    rule: 'An answer that a blob is not there is no immutable one.',
    async run(server) {
      const { headers } = await download(server, 'bnothing');
      expect(headers.get('cache-control') ?? '').not.toMatch(/\bimmutable\b/);
    },
  },
  {
    ...HTTP,
    id: 'blob-download-headers',
    level: 'decision',
    rule: 'Cache-Control is private, immutable, max-age=31536000; content is never sniffed; a type that is none gives way to the stored one (decision 22).',
    async run(server) {
      const blobId = await stored(server);
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
    id: 'blob-download-sandbox',
    level: 'decision',
    rule: 'What a browser would run is an attachment in a sandbox (decision 22).',
    async run(server) {
      const blobId = await stored(server, '<script>1</script>', 'text/html');
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
    level: 'decision',
    rule: 'A range is 206, one that is not there 416 (decision 22).',
    async run(server) {
      const blobId = await stored(server, '0123456789');
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
    level: 'decision',
    rule: 'HEAD answers the headers alone (decision 22).',
    async run(server) {
      const blobId = await stored(server, '0123456789');
      const { status, text, headers } = await ask(server, blobId, { method: 'HEAD' });
      expect([status, text, headers.get('content-length')]).toEqual([200, '', '10']);
    },
  },
  {
    ...HTTP,
    id: 'blob-download-no-credentials',
    level: 'must',
    rule: 'Without credentials, or with wrong ones, a blob is an error of the client’s (here 401) and nothing of it is told.',
    async run(server) {
      const blobId = await stored(server, 'secret content');
      for (const authorization of [null, 'Bearer unknown']) {
        const answer = await ask(server, blobId, { authorization });
        expect(answer.status).toEqual(unauthenticated(server));
        expect(answer.text).not.toContain('secret content');
      }
    },
  },
  {
    ...HTTP,
    id: 'blob-download-unknown',
    level: 'must',
    rule: 'A blob that is not there is an HTTP error, of which the RFC doesn’t say the status.',
    async run(server) {
      const answer = await download(server, 'bnothing');
      expect(isRefusal(answer)).toBe(true);
      if (server.isOurs) expect(answer.status).toBe(404);
    },
  },
  {
    ...HTTP,
    id: 'blob-download-foreign',
    level: 'must',
    rule: 'Another user’s blob can’t be had, neither by the account that it is in nor by one’s own.',
    async run(server) {
      const { accountId, user } = server.foreign(blobCapability(server));
      const blobId = await user.uploaded(accountId, 'their content', 'text/plain');
      for (const account of [accountId, blobAccount(server)]) {
        const answer = await server.user.download(account, blobId);
        expect(isRefusal(answer)).toBe(true);
        expect(answer.text).not.toContain('their content');
      }
    },
  },
  {
    ...HTTP,
    id: 'blob-download-refusals-alike',
    level: 'decision',
    rule: 'What is out of reach is 404, a problem, and the same for all of it (decision 3).',
    async run(server) {
      const [A1 = '', A2 = A1] = blobAccounts(server);
      const { accountId, user } = server.foreign(blobCapability(server));
      const theirs = await user.uploaded(accountId, 'theirs', 'text/plain');
      const mine = await stored(server);
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
  {
    ...HTTP,
    id: 'blob-download-problem',
    level: 'should',
    rule: 'A download that is refused has a problem details object (RFC 9457).',
    async run(server) {
      const { status, headers, json } = await download(server, 'bnothing');
      expect(headers.get('content-type')).toMatch(/^application\/problem\+json\b/);
      expect([status, undefined]).toContain(asMap(json)['status']);
    },
  },
]);
