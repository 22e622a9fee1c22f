import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { BLOB, CORE, NOTES, rawHttp, TODOS } from '../support/client.js';
import { at, err, expectProblem } from '../support/expected.js';
import { useFixtures } from '../support/fixtures.js';
import { eventually } from '../support/poll.js';

const { server, fixtures } = useFixtures({}, ['A2', 'AX']);
const echo = { using: [CORE], methodCalls: [['Core/echo', { hello: true }, 'c0']] };
const post = (body: Parameters<ReturnType<typeof fixtures>['u1']['post']>[0], type?: string) =>
  fixtures().u1.post(body, type === undefined ? {} : { 'content-type': type });
const count = async () =>
  (await fixtures().u1.query('Todo', { accountId: fixtures().A1, calculateTotal: true })).total;

/** A request that would create a Todo, with `more` in its object as JSON text. */
const create = (more: string) =>
  `{"using":["${CORE}","${TODOS}"],"methodCalls":[["Todo/set",{"accountId":"${fixtures().A1}",` +
  `"create":{"k":{"text":"x"${more}}}},"c0"]]}`;

describe('request level: JSON', () => {
  it('RFC 8620 3.6.1: a body that is not one JSON text is notJSON', async () => {
    const valid = JSON.stringify(echo);
    const texts = ['', ' ', valid.slice(0, -1), `${valid}x`, `${valid}{}`, `${valid} ${valid}`];
    const wrong = ["{'using':[]}", '{using:[]}', '{"a":1,}', '[1,]', 'NaN', '{"a":01}', '{"a":+1}'];
    const strings = [
      '{"a":"\n"}',
      '{"a":"\\x"}',
      '{"a":"\u0000"}',
      '{"a":tru}',
      '{"a":.5}',
      '{"a":1.}',
    ];
    for (const text of [...texts, ...wrong, ...strings]) expectProblem(await post(text), 'notJSON');
  });

  it('RFC 8620 1.5: a duplicate member anywhere is notJSON, nothing is run', async () => {
    const before = await count();
    expectProblem(await post(create(',"text":"y"')), 'notJSON');
    expectProblem(await post(create(',"a":[{"b":{"c":1,"\\u0063":2}}]')), 'notJSON');
    expectProblem(await post(`{"using":[],${create('').slice(1)}`), 'notJSON');
    expect(await count()).toBe(before);
  });

  it('RFC 8620 1.5: one name in two objects is no duplicate', async () => {
    const args = '{"a":{"x":1},"b":{"x":1},"x":1}';
    const body = `{"using":["${CORE}"],"methodCalls":[["Core/echo",${args},"c0"]]}`;
    expect((await post(body)).status).toBe(200);
  });

  it('RFC 8620 1.5: invalid UTF-8, a byte-order mark, lone surrogates are notJSON', async () => {
    const before = await count();
    const octets = (...bytes: number[]) => {
      const [head = '', tail = ''] = create(',"z":"@"').split('@');
      return Buffer.concat([Buffer.from(head), Buffer.from(bytes), Buffer.from(tail)]);
    };
    const wrong = [
      [0xff],
      [0xc0, 0x80],
      [0xed, 0xa0, 0x80],
      [0xf4, 0x90, 0x80, 0x80],
      [0xe2, 0x82],
    ];
    for (const bytes of wrong) expectProblem(await post(octets(...bytes)), 'notJSON');
    const bom = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(JSON.stringify(echo))]);
    expectProblem(await post(bom), 'notJSON');
    expectProblem(await post(Buffer.from(JSON.stringify(echo), 'utf16le')), 'notJSON');
    for (const text of [
      '\\ud800',
      '\\udc00',
      '\\ud800x',
      '\\udc00\\ud800',
      // Noncharacters are no I-JSON either (RFC 7493 2.1).
      '\\uffff',
      '\\udbff\\udfff',
      '\ufdd0',
    ]) {
      expectProblem(await post(create(`,"z":"${text}"`)), 'notJSON');
    }
    expect(await count()).toBe(before);
  });

  it('a number that no double holds is refused where an Int is expected', async () => {
    const { u1, A1 } = fixtures();
    const tokens = ['1e400', '9007199254740993', '4.99999999999999999999', '1e-400', '-1e999'];
    const query = (args: string) =>
      `{"using":["${CORE}","${TODOS}"],` +
      `"methodCalls":[["Todo/query",{"accountId":"${A1}",${args}},"c0"]]}`;
    for (const token of tokens) {
      const answer = await u1.post(query(`"limit":${token}`));
      expect(answer.status).toBe(200);
      expect(answer.json).toEqual(
        expect.objectContaining({
          methodResponses: [
            ['error', { type: 'invalidArguments', description: expect.any(String) }, 'c0'],
          ],
        }),
      );
    }
    expect((await u1.post(query('"position":-0,"limit":5.0'))).json).toEqual(
      expect.objectContaining({ methodResponses: [['Todo/query', expect.any(Object), 'c0']] }),
    );
  });

  it('RFC 8620 3.6.1: takes application/json with any parameters and in any case', async () => {
    const before = await count();
    for (const type of [
      'text/plain',
      'application/jsonp',
      'text/json',
      'application/xml',
      'json',
    ]) {
      expectProblem(await post(create(''), type), 'notJSON');
    }
    const bare = await rawHttp(
      server().url,
      'POST /jmap HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n' +
        `Authorization: Bearer ${fixtures().u1.token}\r\nContent-Length: 2\r\n\r\n{}`,
    );
    expect(bare.status).toBe(400);
    expect(bare.body).toContain('urn:ietf:params:jmap:error:notJSON');
    expect(await count()).toBe(before);
    const body = JSON.stringify(echo);
    for (const type of [
      'application/json; charset=utf-8',
      'Application/JSON',
      'application/json;charset="UTF-8"',
    ]) {
      expect((await post(body, type)).status).toBe(200);
    }
  });
});

describe('request level: the Request object', () => {
  it('RFC 8620 3.6.1: JSON that is no Request is notRequest', async () => {
    const call = ['Core/echo', {}, 'c0'];
    const wrong: readonly unknown[] = [
      {},
      [],
      null,
      42,
      'x',
      true,
      { methodCalls: [] },
      { using: [CORE] },
      { using: CORE, methodCalls: [] },
      { using: [1], methodCalls: [] },
      { using: null, methodCalls: [] },
      { using: [CORE], methodCalls: {} },
      { using: [CORE], methodCalls: null },
      { using: [CORE], methodCalls: ['x'] },
      { using: [CORE], methodCalls: [{}] },
      { using: [CORE], methodCalls: [[]] },
      { using: [CORE], methodCalls: [['Core/echo', {}]] },
      { using: [CORE], methodCalls: [['Core/echo', {}, 'c0', 1]] },
      { using: [CORE], methodCalls: [[1, {}, 'c0']] },
      { using: [CORE], methodCalls: [['Core/echo', [], 'c0']] },
      { using: [CORE], methodCalls: [['Core/echo', null, 'c0']] },
      { using: [CORE], methodCalls: [['Core/echo', {}, 1]] },
      { using: [CORE], methodCalls: [call], createdIds: 'x' },
      { using: [CORE], methodCalls: [call], createdIds: [] },
      { using: [CORE], methodCalls: [call], createdIds: { k: 1 } },
      { using: [CORE], methodCalls: [call], createdIds: { k: null } },
    ];
    for (const body of wrong) expectProblem(await post(JSON.stringify(body)), 'notRequest');
  });

  it('RFC 8620 3.6.1: an unknown capability rejects the request, no call is run', async () => {
    const before = await count();
    const body = create('').replace(`"${CORE}"`, `"${CORE}","urn:example:unknown"`);
    expectProblem(await post(body), 'unknownCapability', { named: 'urn:example:unknown' });
    for (const urn of ['', '__proto__', 'toString', CORE.toUpperCase()]) {
      const using = { ...echo, using: [urn] };
      expectProblem(await post(JSON.stringify(using)), 'unknownCapability', { named: urn });
    }
    expect(await count()).toBe(before);
  });

  it('RFC 8620 3.3: a capability may be named twice', async () => {
    const answer = await post(JSON.stringify({ ...echo, using: [CORE, CORE] }));
    expect(answer.status).toBe(200);
  });

  it('without capabilities every method is unknownMethod', async () => {
    const { u1, A1 } = fixtures();
    for (const method of ['Core/echo', 'Todo/get', 'Blob/copy', 'Blob/get']) {
      expect(await u1.with([]).call(method, { accountId: A1 })).toEqual(err('unknownMethod'));
    }
    expect(await u1.with([TODOS]).call('Core/echo', {})).toEqual(err('unknownMethod'));
  });

  it('the blob methods need their capability, Blob/copy core alone', async () => {
    const { u1, A1, A2 } = fixtures();
    for (const method of ['Blob/upload', 'Blob/get', 'Blob/lookup']) {
      expect(await u1.with([CORE]).call(method, { accountId: A1 })).toEqual(err('unknownMethod'));
    }
    const copy = { fromAccountId: A1, accountId: A2, blobIds: [] };
    expect(await u1.with([CORE]).ok('Blob/copy', copy)).toEqual(
      expect.objectContaining({ fromAccountId: A1, accountId: A2 }),
    );
    expect(await u1.with([BLOB]).call('Blob/copy', copy)).toEqual(err('unknownMethod'));
  });

  it('RFC 8620 3.3: further members of the Request are ignored', async () => {
    const answer = await post(JSON.stringify({ ...echo, more: 1, methodResponses: [] }));
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json\b/);
    expect(answer.json).toEqual({
      methodResponses: [['Core/echo', { hello: true }, 'c0']],
      sessionState: expect.any(String),
    });
  });

  it('RFC 8620 3.6.1: one call more than maxCallsInRequest is a limit error', async () => {
    const before = await count();
    const write = ['Todo/set', { accountId: fixtures().A1, create: { k: { text: 'x' } } }, 'w'];
    const rest = Array.from({ length: 32 }, (_, index) => ['Core/echo', {}, `c${index}`]);
    const body = (calls: readonly unknown[]) =>
      JSON.stringify({ using: [CORE, TODOS], methodCalls: calls });
    expectProblem(await post(body([write, ...rest])), 'limit', { limit: 'maxCallsInRequest' });
    expect(await count()).toBe(before);
    const answer = await post(body(rest));
    expect((answer.json as { methodResponses: unknown[] }).methodResponses).toHaveLength(32);
  });

  it('more than 4,096 createdIds are a limit error', async () => {
    const ids = (length: number) =>
      Object.fromEntries(Array.from({ length }, (_, index) => [`k${index}`, 'x1']));
    const body = (length: number) => JSON.stringify({ ...echo, createdIds: ids(length) });
    expectProblem(await post(body(4097)), 'limit', { limit: 'maxCreatedIdsInRequest' });
    expect((await post(body(4096))).status).toBe(200);
  });

  it('a compressed body is decoded or refused', async () => {
    const answer = await fixtures().u1.post(gzipSync(JSON.stringify(echo)), {
      'content-encoding': 'gzip',
    });
    expect([200, 415]).toContain(answer.status);
  });

  it('a request whose client goes away is done as a whole or not at all', async () => {
    const { u1, A2 } = fixtures();
    const todos = Object.fromEntries(
      Array.from({ length: 500 }, (_, i) => [`k${i}`, { text: 'x' }]),
    );
    const body = JSON.stringify({
      using: [CORE, TODOS],
      methodCalls: [['Todo/set', { accountId: A2, create: todos }, 'c0']],
    });
    const abort = new AbortController();
    const request = fetch(`${u1.url}/jmap`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${u1.token}` },
      body,
      signal: abort.signal,
    });
    const late = new Promise((resolve) => setTimeout(resolve, 15));
    await Promise.race([request, late]);
    abort.abort();
    await request.catch(() => undefined);
    await eventually(async () => {
      // A later write of the account is answered after the earlier one is done.
      await u1.set('Todo', { accountId: A2 });
      const { total } = await u1.query('Todo', { accountId: A2, calculateTotal: true });
      expect([0, 500]).toContain(total);
    });
  });

  it('deep nesting is answered, and crashes nothing', async () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    const answer = await post(
      `{"using":["${CORE}"],"methodCalls":[["Core/echo",{"a":${deep}},"c"]]}`,
    );
    expect(answer.status).toBe(400);
    expect((await post(JSON.stringify(echo))).status).toBe(200);
  });
});

describe('Core/echo', () => {
  const same = async (args: object) =>
    expect(await fixtures().u1.call('Core/echo', args)).toEqual(['Core/echo', args]);

  it('RFC 8620 4: answers the same object', async () => {
    await same({ hello: true, n: [1, { x: null }] });
    await same({});
  });

  it('RFC 8620 4: keeps integers, Unicode, nesting, and unusual names', async () => {
    await same({
      '': '',
      max: 2 ** 53 - 1,
      min: -(2 ** 53) + 1,
      text: '🦊 e\u0301 \u0000 \u2028 "\\/',
      deep: { a: { b: { c: { d: { e: [[[[[]]]]] } } } } },
      constructor: 1,
      toString: null,
    });
    const { json } = await post(
      `{"using":["${CORE}"],"methodCalls":[["Core/echo",{"__proto__":{"a":1},"b":2},"c"]]}`,
    );
    const { methodResponses } = json as { methodResponses: [string, object, string][] };
    expect(Object.keys(at(methodResponses, 0)[1]).sort()).toEqual(['__proto__', 'b']);
  });

  it('RFC 8620 4: accountId is an argument like any other', async () => {
    for (const accountId of ['nobody', 5, null, [], fixtures().AX]) await same({ accountId });
  });

  it('RFC 8620 3.7: a name that begins with # is a result reference', async () => {
    expect(await fixtures().u1.call('Core/echo', { '#x': 'text' })).toEqual(
      err('invalidResultReference'),
    );
  });

  it('RFC 8620 1.5: names are case-sensitive and using is exact', async () => {
    expect(await fixtures().u1.with([CORE, NOTES]).call('core/echo', {})).toEqual(
      err('unknownMethod'),
    );
  });
});
