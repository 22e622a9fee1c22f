import { describe, expect, it } from 'vitest';
import { CORE, http, startHarness, TODOS } from './harness.js';

const at = (urn: string): string => `/jmap/reference?capability=${encodeURIComponent(urn)}`;

describe('GET /jmap/reference', () => {
  it('is the JSON text that the capability carries, the same for HEAD without it', async () => {
    const harness = await startHarness();
    const answer = await http(harness, at(TODOS));
    const body = JSON.stringify({ capability: TODOS });
    expect([answer.status, await answer.text()]).toEqual([200, body]);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.headers.get('cache-control')).toBe('private, no-cache');
    const head = await http(harness, at(TODOS), { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect(head.headers.get('content-length')).toBe(String(body.length));
  });

  it('is not sent again to a client that has it', async () => {
    const harness = await startHarness();
    const etag = (await http(harness, at(TODOS))).headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]{22}"$/);
    for (const known of [etag, `"x", W/${etag}`, '*']) {
      const again = await http(harness, at(TODOS), { headers: { 'if-none-match': known } });
      expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([
        304,
        etag,
        '',
      ]);
    }
    const other = await http(harness, at(TODOS), { headers: { 'if-none-match': '"x"' } });
    expect(other.status).toBe(200);
  });

  it('is 404 for an unknown URN or one without descriptor, 400 for none or two', async () => {
    const harness = await startHarness();
    const status = async (path: string): Promise<unknown> => {
      const answer = await http(harness, path);
      expect(answer.headers.get('content-type')).toBe('application/problem+json');
      return ((await answer.json()) as { status: unknown }).status;
    };
    expect(await status(at('urn:x:none'))).toBe(404);
    expect(await status(at('__proto__'))).toBe(404);
    expect(await status(at(CORE))).toBe(404);
    expect(await status('/jmap/reference')).toBe(400);
    expect(await status(`${at(TODOS)}&capability=x`)).toBe(400);
    expect(await status('/jmap/reference/x')).toBe(404);
  });

  it('takes GET and HEAD alone, with a token, and answers other origins', async () => {
    const harness = await startHarness({ env: { CORS_ORIGINS: 'https://app.example' } });
    const posted = await http(harness, at(TODOS), { method: 'POST', body: '{}' });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
    const stranger = await fetch(`${harness.url}${at(TODOS)}`);
    expect([stranger.status, stranger.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer realm="jmap"',
    ]);
    const headers = { origin: 'https://app.example' };
    const answer = await http(harness, at(TODOS), { headers });
    expect(answer.headers.get('access-control-allow-origin')).toBe('https://app.example');
  });

  it('is below the base path, and counted as a route of its own', async () => {
    const harness = await startHarness({ env: { BASE_URL: 'https://x.example/a' } });
    expect((await http(harness, `/a${at(TODOS)}`)).status).toBe(200);
    expect((await http(harness, at(TODOS))).status).toBe(404);
    const metrics = await (await http(harness, '/metrics')).text();
    expect(metrics).toMatch(/route="\/jmap\/reference",method="GET",status="200"/);
  });
});
