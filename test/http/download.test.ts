import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { contentDisposition, parseRange } from '../../src/http/download.js';
import { type Harness, head, http, RawConnection, startHarness, until } from './harness.js';

async function stored(
  harness: Harness,
  octets: string | Buffer,
  type = 'text/plain',
): Promise<string> {
  const response = await http(harness, '/jmap/upload/A1', {
    method: 'POST',
    body: octets,
    headers: { 'content-type': type },
  });
  return ((await response.json()) as { blobId: string }).blobId;
}

describe('RFC 8620 6.2: download', () => {
  it('sends exactly the octets, with type, name and caching; HEAD without them', async () => {
    const harness = await startHarness();
    const octets = Buffer.from(Array.from({ length: 200_000 }, (_, n) => n % 251));
    const path = `/jmap/download/A1/${await stored(harness, octets, 'image/png')}/x.png`;
    const response = await http(harness, path);
    expect(Buffer.from(await response.arrayBuffer()).equals(octets)).toBe(true);
    const expected = {
      'content-type': 'image/png',
      'content-length': '200000',
      'content-disposition': 'inline; filename="x.png"',
      'cache-control': 'private, immutable, max-age=31536000',
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
    };
    expect(Object.fromEntries(response.headers)).toMatchObject(expected);
    const headers = await http(harness, path, { method: 'HEAD' });
    expect(Object.fromEntries(headers.headers)).toMatchObject(expected);
    expect(await headers.text()).toBe('');
  });

  it('only the uploader gets an unreferenced blob, all the account a referenced one', async () => {
    const harness = await startHarness();
    const id = await stored(harness, 'x');
    const asOther = (accountId: string): Promise<Response> =>
      http(harness, `/jmap/download/${accountId}/${id}/n`, {
        headers: { authorization: 'Bearer token-of-u2' },
      });
    const unknown = await http(harness, '/jmap/download/A1/b1/n');
    const hidden = await asOther('A1');
    expect(hidden.status).toBe(404);
    expect(await hidden.text()).toBe(await unknown.text());
    expect(unknown.headers.get('cache-control')).toBe('no-store');
    const row = harness.store.rows.get(`A1/${id}`);
    if (row === undefined) throw new Error('The upload made a row.');
    harness.store.rows.set(`A1/${id}`, { ...row, referenced: true });
    expect((await asOther('A1')).status).toBe(200);
    expect((await asOther('AX')).status).toBe(404);
    expect((await http(harness, `/jmap/download/AN/${id}/n`)).status).toBe(404);
  });

  it('has the type that is asked for, or the stored one; active content is attached', async () => {
    const harness = await startHarness();
    const id = await stored(harness, 'x', 'text/html');
    const answer = async (query: string): Promise<(string | null)[]> => {
      const { headers } = await http(harness, `/jmap/download/A1/${id}/n${query}`);
      expect(headers.get('content-security-policy')).toContain('sandbox');
      return [
        headers.get('content-type'),
        headers.get('content-disposition')?.split(';')[0] ?? null,
      ];
    };
    expect(await answer('')).toEqual(['text/html', 'attachment']);
    expect(await answer('?type=text/plain')).toEqual(['text/plain', 'inline']);
    expect(await answer('?type=')).toEqual(['text/html', 'attachment']);
    expect(await answer('?type=rubbish')).toEqual(['text/html', 'attachment']);
    expect(await answer('?type=text/plain%0d%0aX:1')).toEqual(['text/html', 'attachment']);
    for (const type of [
      'image/svg+xml',
      'TEXT/HTML;charset=utf-8',
      'application/xhtml+xml',
      'text/xml',
      'text/javascript',
    ]) {
      expect(await answer(`?type=${type}`)).toEqual([type, 'attachment']);
    }
  });

  it('a name can neither end the header nor lose anything', async () => {
    const harness = await startHarness();
    const id = await stored(harness, 'x');
    const disposition = async (name: string): Promise<string | null> => {
      const response = await http(harness, `/jmap/download/A1/${id}/${name}`);
      expect(response.headers.has('x-evil')).toBe(false);
      return response.headers.get('content-disposition');
    };
    expect(await disposition('a%0d%0aX-Evil:%201')).toBe(
      `inline; filename="a__X-Evil: 1"; filename*=UTF-8''a%0D%0AX-Evil%3A%201`,
    );
    expect(await disposition('..%2F..%2Fetc%2Fpasswd')).toBe('inline; filename="../../etc/passwd"');
    expect(await disposition('%E2%82%AC.txt')).toBe(
      `inline; filename="_.txt"; filename*=UTF-8''%E2%82%AC.txt`,
    );
    expect(await disposition('')).toBe('inline');
    expect((await http(harness, `/jmap/download/A1/${id}/%FF`)).status).toBe(400);
  });

  it('a single range is 206, one beyond the end 416, others are ignored', async () => {
    const harness = await startHarness();
    const path = `/jmap/download/A1/${await stored(harness, '0123456789')}/n`;
    const ranged = async (range: string): Promise<unknown[]> => {
      const response = await http(harness, path, { headers: { range } });
      const text = await response.text();
      const { headers } = response;
      return [response.status, headers.get('content-range'), response.status === 416 ? '' : text];
    };
    expect(await ranged('bytes=2-4')).toEqual([206, 'bytes 2-4/10', '234']);
    expect(await ranged('bytes=7-')).toEqual([206, 'bytes 7-9/10', '789']);
    expect(await ranged('bytes=-3')).toEqual([206, 'bytes 7-9/10', '789']);
    expect(await ranged('bytes=10-')).toEqual([416, 'bytes */10', '']);
    expect(await ranged('bytes=0-1,3-4')).toEqual([200, null, '0123456789']);
    for (const range of ['bytes=2-4', 'bytes=10-']) {
      const only = await http(harness, path, { method: 'HEAD', headers: { range } });
      expect([only.status, only.headers.get('content-length')]).toEqual([200, '10']);
    }
  });

  it('a reader that stalls is dropped and a reader that leaves is no failure', async () => {
    const harness = await startHarness({ timings: { stalledReader: 100 } });
    const path = `/jmap/download/A1/${await stored(harness, Buffer.alloc(30_000_000))}/n`;
    const stalled = new RawConnection(harness);
    stalled.write(head(path, [], 'GET'));
    await stalled.until(/\r\n\r\n/);
    stalled.socket.pause();
    const leaves = request(`${harness.url}${path}`, {
      headers: { authorization: 'Bearer token-of-u1' },
    });
    leaves.on('response', () => leaves.destroy()).on('error', () => undefined);
    leaves.end();
    const aborted = (): number => harness.logs.filter((line) => line.includes('aborted')).length;
    await until(() => aborted() === 2);
    expect(harness.logs.join('')).not.toContain('defect');
    stalled.socket.destroy();
  });

  it('a row whose octets are gone is 404', async () => {
    const harness = await startHarness();
    const row = { id: 'b1', type: 'text/plain', size: 3, uploaderId: 'u1', referenced: true };
    harness.store.rows.set('A1/b1', row);
    expect((await http(harness, '/jmap/download/A1/b1/n')).status).toBe(404);
  });
});

describe('Content-Disposition (RFC 6266, RFC 8187)', () => {
  it('escapes quotes and backslashes and says in filename* what ASCII cannot', () => {
    expect(contentDisposition('attachment', 'plain.txt')).toBe('attachment; filename="plain.txt"');
    expect(contentDisposition('inline', 'a"b\\c;d')).toBe('inline; filename="a\\"b\\\\c;d"');
    expect(contentDisposition('inline', '50%41')).toBe(
      `inline; filename="50%41"; filename*=UTF-8''50%2541`,
    );
    expect(contentDisposition('inline', "it's 😀")).toBe(
      `inline; filename="it's _"; filename*=UTF-8''it%27s%20%F0%9F%98%80`,
    );
  });
});

describe('Range (RFC 9110 14.1.2)', () => {
  it('reads single ranges exactly', () => {
    expect(parseRange('bytes=0-0', 10)).toEqual({ start: 0, end: 1 });
    expect(parseRange('bytes=5-99', 10)).toEqual({ start: 5, end: 10 });
    expect(parseRange('bytes=-99', 10)).toEqual({ start: 0, end: 10 });
    expect(parseRange('bytes=-0', 10)).toBe('unsatisfiable');
    expect(parseRange('bytes=0-', 0)).toBe('unsatisfiable');
    for (const header of [
      undefined,
      'bytes=',
      'bytes=-',
      'bytes=4-2',
      'octets=0-1',
      'bytes=a-b',
      'bytes=1-2,3-4',
    ]) {
      expect(parseRange(header, 10)).toBe('all');
    }
  });
});
