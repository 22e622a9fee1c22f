import { expect } from 'expect';
import { serverChecks } from '../check.js';
import { readFileName } from '../client/disposition.js';
import type { HttpAnswer, HttpRequest } from '../client/http.js';
import { asMap } from '../client/json.js';
import { unauthenticated } from '../refusal.js';
import type { Server } from '../subject/server.js';
import {
  drawOctets,
  findBlobAccount,
  findBlobCapability,
  HTTP,
  isRefusal,
} from './blob-accounts.js';

/** RFC 8620 6.2: what the download URL answers. */

/** Seconds of a day. */
const DAY = 86_400;

/** Uploads content to the account whose blobs are tried and returns its blobId. */
export const store = (
  server: Server,
  body: string | Uint8Array = 'content',
  type = 'text/x-stored',
) => server.user.uploadBlob(findBlobAccount(server), body, type);

/** Downloads a blob of that account, under a name and with a type where they matter. */
export const download = (
  server: Server,
  blobId: string,
  variables?: { name?: string; type?: string },
) => server.user.download(findBlobAccount(server), blobId, variables);

/** Sends a request of any kind to the download URL. */
export function ask(server: Server, blobId: string, request: HttpRequest): Promise<HttpAnswer> {
  const variables = { accountId: findBlobAccount(server), blobId, name: 'x', type: 'text/plain' };
  return server.user.http.send(server.user.session.expand('downloadUrl', variables), request);
}

/** Lists file names that a careless header or path would break. */
const NAMES = [
  'report.txt',
  'two words.txt',
  'quo"te.txt',
  'semi;colon=1.txt',
  'percent%41.txt',
  'Åland 🦊.txt',
  "it's (1).txt",
];

/** Expects a Content-Disposition, where there is one, to have the name that was asked for. */
export async function expectNamesKept(server: Server, names: readonly string[]): Promise<void> {
  const blobId = await store(server);
  for (const name of names) {
    const answer = await download(server, blobId, { name });
    expect([name, answer.status, answer.text]).toEqual([name, 200, 'content']);
    const header = answer.headers.get('content-disposition');
    if (header !== null) expect([header, readFileName(header)]).toEqual([header, name]);
  }
}

/** Lists file names that would add a header where a server copies them as they are. */
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
    rule:
      'A download answers exactly the octets that were uploaded, every time, with ' +
      'their number.',
    async run(server) {
      const octets = drawOctets(server, 300_000);
      const blobId = await store(server, octets);
      for (const type of ['application/x-random', 'text/plain']) {
        const answer = await download(server, blobId, { type });
        expect(answer.status).toBe(200);
        expect(answer.octets.equals(octets)).toBe(true);
        // RFC 9112 6.3: it may be left out, never be wrong.
        const length = answer.headers.get('content-length');
        if (length !== null) expect(length).toBe('300000');
      }
    },
  },
  {
    ...HTTP,
    id: 'blob-download-type',
    level: 'must',
    rule: 'Content-Type is the type that the URL asks for, whatever the upload said.',
    /** Asks for three types of one blob: RFC 8620 6.2 has the URL decide, not the upload. */
    async run(server) {
      const blobId = await store(server);
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
    rule:
      'Where there is a Content-Disposition, its file name is the name that the URL asks for, ' +
      'whatever signs it has.',
    run: (server) => expectNamesKept(server, NAMES),
  },
  {
    ...HTTP,
    id: 'blob-download-no-injection',
    level: 'must',
    rule: 'Neither a name nor a type can add a header to the answer.',
    /**
     * Accepts a refusal as well as the content. The header that the name tries to add must come in
     * neither.
     */
    async run(server) {
      const blobId = await store(server);
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
    rule:
      'A download may be cached for long: Cache-Control has immutable and a max-age of a day or ' +
      'more, and does not make it public.',
    async run(server) {
      const { headers } = await download(server, await store(server));
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
      const { headers } = await download(server, 'b-nothing');
      expect(headers.get('cache-control') ?? '').not.toMatch(/\bimmutable\b/);
    },
  },
  {
    ...HTTP,
    id: 'blob-download-no-credentials',
    level: 'must',
    rule:
      'Without credentials, or with wrong ones, a blob is an error of the client’s and nothing ' +
      'of it is told.',
    async run(server) {
      const blobId = await store(server, 'secret content');
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
      const answer = await download(server, 'b-nothing');
      expect(isRefusal(answer)).toBe(true);
    },
  },
  {
    ...HTTP,
    id: 'blob-download-foreign',
    level: 'must',
    rule:
      'Another user’s blob can’t be had, neither by the account that it is in nor ' +
      'by one’s own.',
    async run(server) {
      const { accountId, user } = server.findForeign(findBlobCapability(server));
      const blobId = await user.uploadBlob(accountId, 'their content', 'text/plain');
      for (const account of [accountId, findBlobAccount(server)]) {
        const answer = await server.user.download(account, blobId);
        expect(isRefusal(answer)).toBe(true);
        expect(answer.text).not.toContain('their content');
      }
    },
  },
  {
    ...HTTP,
    id: 'blob-download-problem',
    level: 'should',
    rule: 'A download that is refused has a problem details object (RFC 9457).',
    async run(server) {
      const { status, headers, json } = await download(server, 'b-nothing');
      expect(headers.get('content-type')).toMatch(/^application\/problem\+json\b/);
      expect([status, undefined]).toContain(asMap(json)['status']);
    },
  },
]);
