import { randomBytes } from 'node:crypto';
import { parse } from 'content-disposition';
import { describe, expect, it } from 'vitest';
import { CORE, rawHttp } from '../support/client.js';
import { err, expectProblemStatus, serverId, setError } from '../support/expected.js';
import { useFixtures } from '../support/fixtures.js';

const { server, fixtures } = useFixtures({}, ['A2', 'AR', 'AN', 'AX', 'u2', 'u3']);

const download = (
  accountId: string,
  blobId: string,
  rest = 'file?type=text/plain',
  init?: RequestInit,
) => fixtures().u1.http(`/jmap/download/${accountId}/${blobId}/${rest}`, init);
const uploaded = async (body: Parameters<typeof Buffer.from>[0] | string, type = 'text/plain') =>
  (await fixtures().u1.upload(fixtures().A1, Buffer.from(body as string), type)).blobId;

describe('upload', () => {
  it('RFC 8620 6.1: the answer has exactly the four members', async () => {
    const { A1, u1 } = fixtures();
    const answer = await u1.http(`/jmap/upload/${A1}`, {
      method: 'POST',
      body: 'hello',
      headers: { 'content-type': 'text/x-test' },
    });
    expect([200, 201]).toContain(answer.status);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json\b/);
    expect(answer.json).toEqual({ accountId: A1, blobId: serverId, type: 'text/x-test', size: 5 });
  });

  it('an upload with a key that comes again answers the same blob', async () => {
    const { A1, A2, u1 } = fixtures();
    const upload = async (key: string, body = 'hello', type = 'text/x-once', account = A1) => {
      const headers = { 'content-type': type, 'idempotency-key': key };
      const answer = await u1.http(`/jmap/upload/${account}`, { method: 'POST', body, headers });
      return [answer.status, (answer.json as { blobId?: string }).blobId] as const;
    };
    const [status, blobId] = await upload('a key');
    expect([status, blobId]).toEqual([200, serverId]);
    // A string of RFC 9651 is the same key.
    const again = await Promise.all([upload('a key'), upload('"a key"'), upload('a key')]);
    for (const one of again) expect(one).toEqual([200, blobId]);
    for (const other of [
      await upload('a key', 'hallo'),
      await upload('a key', 'hello', 'text/plain'),
      await upload('x'.repeat(129)),
      await upload('""'),
    ])
      expect([400, 422]).toContain(other[0]);
    expect((await upload('a key', 'hello', 'text/x-once', A2))[1]).not.toBe(blobId);
    expect((await upload('another'))[1]).not.toBe(blobId);
    expect((await download(A1, blobId ?? '')).text).toBe('hello');
  });

  it('the type is the one that was sent, or octet-stream if that is none', async () => {
    const { A1, u1 } = fixtures();
    const typed = async (type: string) =>
      (
        await u1.http(`/jmap/upload/${A1}`, {
          method: 'POST',
          body: 'x',
          headers: { 'content-type': type },
        })
      ).json as { type: string };
    expect((await typed('image/png')).type).toBe('image/png');
    expect((await typed('text/html; charset=utf-8')).type).toMatch(
      /^text\/html; ?charset="?utf-8"?$/,
    );
    for (const type of ['nonsense', 'a/b/c', 'text/']) {
      expect((await typed(type)).type).toBe('application/octet-stream');
    }
    const bare = await rawHttp(
      server().url,
      `POST /jmap/upload/${A1} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n` +
        `Authorization: Bearer ${u1.token}\r\nContent-Length: 1\r\n\r\nx`,
    );
    expect(bare.body).toContain('"application/octet-stream"');
  });

  it('RFC 8620 6.1: JSON and forms are stored as they are', async () => {
    const { A1 } = fixtures();
    for (const [type, body] of [
      ['application/json', '{"a":1,"a":2'],
      [
        'multipart/form-data; boundary=x',
        '--x\r\nContent-Disposition: form-data; name="f"\r\n\r\n1\r\n--x--',
      ],
      ['application/x-www-form-urlencoded', 'a=1&b=%zz'],
    ] as const) {
      const blobId = await uploaded(body, type);
      expect((await download(A1, blobId)).text).toBe(body);
    }
  });

  it('RFC 8620 6.1: an empty body is a blob of size 0', async () => {
    const { A1, u1 } = fixtures();
    const answer = await u1.upload(A1, '', 'text/plain');
    expect(answer['size']).toBe(0);
    const got = await download(A1, answer.blobId);
    expect([got.status, got.text]).toEqual([200, '']);
  });

  it('RFC 8620 6.1: the same octets may come under several types', async () => {
    const { A1, u1 } = fixtures();
    for (const type of ['text/plain', 'text/css']) {
      const answer = await u1.upload(A1, 'same octets', type);
      expect(answer['type']).toBe(type);
      expect((await download(A1, answer.blobId)).text).toBe('same octets');
    }
  });

  it('an account out of reach is 404 as an unknown one is, a read-only one 403', async () => {
    const { AX, AR, unknownAccount, u1 } = fixtures();
    const upload = (accountId: string) =>
      u1.http(`/jmap/upload/${accountId}`, { method: 'POST', body: 'x' });
    const [theirs, nobodys] = [await upload(AX), await upload(unknownAccount)];
    expectProblemStatus(theirs, 404);
    expect(theirs.text.replaceAll(AX, '-')).toBe(nobodys.text.replaceAll(unknownAccount, '-'));
    expectProblemStatus(await upload(AR), 403);
  });
});

describe('download', () => {
  it('RFC 8620 6.2: the answer is exactly the octets', async () => {
    const { A1, u1 } = fixtures();
    const octets = randomBytes(300_000);
    const { blobId } = await u1.upload(A1, octets, 'application/x-random');
    const response = await fetch(`${server().url}/jmap/download/${A1}/${blobId}/x?type=image/png`, {
      headers: { authorization: `Bearer ${u1.token}` },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-length')).toBe('300000');
    expect(Buffer.from(await response.arrayBuffer()).equals(octets)).toBe(true);
  });

  it('has the requested type or the stored one, nosniff and a long max-age', async () => {
    const { A1 } = fixtures();
    const blobId = await uploaded('x', 'application/x-stored');
    const asked = await download(A1, blobId, 'file.txt?type=text%2Fplain');
    expect(asked.headers.get('content-type')).toMatch(/^text\/plain\b/);
    const stored = await download(A1, blobId, 'file.txt');
    expect(stored.headers.get('content-type')).toBe('application/x-stored');
    for (const { headers } of [asked, stored]) {
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cache-control')).toBe('private, immutable, max-age=31536000');
    }
  });

  it('content that a browser would run is an attachment in a sandbox', async () => {
    const { A1 } = fixtures();
    const blobId = await uploaded('<script>1</script>', 'text/html');
    for (const type of ['text/html', 'image/svg%2Bxml', 'application/xhtml%2Bxml', 'text/xml']) {
      const { headers } = await download(A1, blobId, `page.html?type=${type}`);
      expect(headers.get('content-disposition')).toMatch(/^attachment\b/);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toMatch(/\bsandbox\b/);
    }
  });

  const names = [
    'report.txt',
    'two words.txt',
    'quo"te.txt',
    'back\\slash.txt',
    'semi;colon=1.txt',
    'percent%41.txt',
    'Åland 🦊.txt',
    `${'long'.repeat(75)}.txt`,
    "it's (1).txt",
  ];
  it.each(names)('the file name %s survives', async (name) => {
    const { A1 } = fixtures();
    const blobId = await uploaded('x');
    const answer = await download(A1, blobId, `${encodeURIComponent(name)}?type=text/plain`);
    expect(answer.status).toBe(200);
    const header = answer.headers.get('content-disposition') ?? '';
    expect(parse(header).parameters['filename']).toBe(name);
  });

  it('a plain token name is in the header unchanged', async () => {
    const blobId = await uploaded('x');
    const { headers } = await download(fixtures().A1, blobId, 'report.txt');
    expect(headers.get('content-disposition')).toMatch(/; ?filename="?report\.txt"?$/);
  });

  it('no header can be injected and no path leaves its place', async () => {
    const { A1, u1 } = fixtures();
    const blobId = await uploaded('content');
    for (const name of [
      '%0d%0aX-Injected:%201',
      'a%0aX-Injected:1',
      '%00',
      '..%2f..%2f..%2fetc%2fpasswd',
      '%c4%8d%c4%8aX-Injected:%201',
    ]) {
      const raw = await rawHttp(
        server().url,
        `GET /jmap/download/${A1}/${blobId}/${name} HTTP/1.1\r\nHost: localhost\r\n` +
          `Connection: close\r\nAuthorization: Bearer ${u1.token}\r\n\r\n`,
      );
      expect([200, 400]).toContain(raw.status);
      expect(raw.headers.map(([header]) => header)).not.toContain('x-injected');
      if (raw.status === 200) expect(raw.body).toBe('content');
    }
  });

  it('an empty name or type is answered or refused, never an error of ours', async () => {
    const { A1 } = fixtures();
    const blobId = await uploaded('content', 'text/x-stored');
    const noType = await download(A1, blobId, 'x?type=');
    const noName = await download(A1, blobId, '?type=text/plain');
    for (const answer of [noType, noName]) expect([200, 400, 404]).toContain(answer.status);
    if (noType.status === 200) expect(noType.headers.get('content-type')).toBe('text/x-stored');
    for (const type of ['nonsense', 'text/plain%0d%0aX-Injected:1', 'a/b/c', '%00']) {
      const answer = await download(A1, blobId, `x?type=${type}`);
      expect([200, 400]).toContain(answer.status);
      expect(answer.headers.get('x-injected')).toBeNull();
    }
  });

  it('ranges are 206 and 416, HEAD has headers alone', async () => {
    const { A1 } = fixtures();
    const blobId = await uploaded('0123456789');
    const range = (value: string) => download(A1, blobId, 'x', { headers: { range: value } });
    for (const [value, text, content] of [
      ['bytes=2-4', '234', 'bytes 2-4/10'],
      ['bytes=7-', '789', 'bytes 7-9/10'],
      ['bytes=-3', '789', 'bytes 7-9/10'],
      ['bytes=8-99', '89', 'bytes 8-9/10'],
    ] as const) {
      const answer = await range(value);
      expect([answer.status, answer.text, answer.headers.get('content-range')]).toEqual([
        206,
        text,
        content,
      ]);
    }
    const beyond = await range('bytes=10-');
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */10']);
    const head = await download(A1, blobId, 'x', { method: 'HEAD' });
    expect([head.status, head.text, head.headers.get('content-length')]).toEqual([200, '', '10']);
  });

  it('a blob out of reach is the same 404 as a missing one', async () => {
    const { A1, A2, AX, unknownAccount, u1, u2 } = fixtures();
    const mine = await uploaded('mine');
    const { blobId: theirs } = await u2.upload(AX, 'theirs', 'text/plain');
    const answers = [];
    for (const [account, blob] of [
      [A1, 'b1'],
      [A1, theirs],
      [A2, mine],
      [AX, theirs],
      [AX, mine],
      [unknownAccount, mine],
      [A1, '..'],
      [A1, '%2e%2e'],
      [A1, 'x'.repeat(300)],
      [A1, '%00'],
    ] as const) {
      const answer = await download(account, blob);
      expect([400, 404]).toContain(answer.status);
      expect(answer.headers.get('cache-control') ?? '').not.toContain('immutable');
      answers.push(answer);
    }
    for (const answer of answers.slice(0, 6)) expectProblemStatus(answer, 404);
    expect((await u1.http(`/jmap/download/${A1}/${mine}/x`)).status).toBe(200);
  });

  it('RFC 8620 6.1: an unreferenced blob is its uploader’s, if shared or not', async () => {
    const { AR, u1, u3 } = fixtures();
    const { blobId } = await u3.upload(AR, 'private', 'text/plain');
    expect((await u3.http(`/jmap/download/${AR}/${blobId}/x`)).status).toBe(200);
    expectProblemStatus(await u1.http(`/jmap/download/${AR}/${blobId}/x`), 404);
    const answer = await u1.ok('Blob/get', { accountId: AR, ids: [blobId] });
    expect(answer).toEqual({ accountId: AR, list: [], notFound: [blobId] });
  });

  it('RFC 8620 6: a blob is in its account, and in no other one', async () => {
    const { A1, A2 } = fixtures();
    const blobId = await uploaded('here');
    expect((await download(A1, blobId)).text).toBe('here');
    expectProblemStatus(await download(A2, blobId), 404);
  });
});

describe('Blob/copy', () => {
  const copy = (more: object) =>
    fixtures()
      .u1.with([CORE])
      .call('Blob/copy', { fromAccountId: fixtures().A1, accountId: fixtures().A2, ...more });

  it('RFC 8620 6.3: copies the blobs that exist, the others are notFound', async () => {
    const { A1, A2 } = fixtures();
    const blobId = await uploaded('to copy', 'text/x-copied');
    const [name, answer] = await copy({ blobIds: [blobId, blobId, 'x1', 'x1'] });
    expect([name, answer]).toEqual([
      'Blob/copy',
      {
        fromAccountId: A1,
        accountId: A2,
        copied: { [blobId]: serverId },
        notCopied: { x1: setError('notFound') },
      },
    ]);
    const copied = (answer['copied'] as Record<string, string>)[blobId] ?? '';
    const got = await download(A2, copied, 'x');
    expect([got.text, got.headers.get('content-type')]).toEqual(['to copy', 'text/x-copied']);
    expect((await download(A1, blobId)).text).toBe('to copy');
  });

  it('RFC 8620 6.3: copied and notCopied are null if they are empty', async () => {
    const members = async (blobIds: readonly string[]) => {
      const [, { copied = null, notCopied = null }] = await copy({ blobIds });
      return { copied, notCopied };
    };
    expect(await members([])).toEqual({ copied: null, notCopied: null });
    expect(await members(['x1'])).toEqual({
      copied: null,
      notCopied: { x1: setError('notFound') },
    });
    const blobId = await uploaded('copied');
    expect(await members([blobId])).toEqual({ copied: { [blobId]: serverId }, notCopied: null });
  });

  it('refuses accounts that do not fit', async () => {
    const { AX, AR, AN, unknownAccount } = fixtures();
    const blobIds = [await uploaded('x')];
    for (const account of [AX, unknownAccount]) {
      expect(await copy({ fromAccountId: account, blobIds })).toEqual(err('fromAccountNotFound'));
      expect(await copy({ accountId: account, blobIds })).toEqual(err('accountNotFound'));
    }
    expect(await copy({ accountId: AR, blobIds })).toEqual(err('accountReadOnly'));
    expect(await copy({ accountId: AN, blobIds })).toEqual(err('accountNotSupportedByMethod'));
    expect(await copy({ fromAccountId: AN, blobIds })).toEqual(err('accountNotSupportedByMethod'));
  });

  it('RFC 8620 6.3: blobIds is required', async () => {
    for (const blobIds of [undefined, null, 'x', {}, [1]]) {
      expect(await copy({ blobIds })).toEqual(err('invalidArguments', 'blobIds'));
    }
  });

  it("RFC 8620 6.1: another user's unreferenced blob can not be copied", async () => {
    const { AR, A1, u3 } = fixtures();
    const { blobId } = await u3.upload(AR, 'private', 'text/plain');
    const [, answer] = await copy({ fromAccountId: AR, accountId: A1, blobIds: [blobId] });
    expect(answer['notCopied']).toEqual({ [blobId]: setError('notFound') });
  });
});
