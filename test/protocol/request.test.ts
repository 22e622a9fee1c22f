import { describe, expect, it, vi } from 'vitest';
import { RequestError } from '../../src/protocol/errors.js';
import { parseIJson } from '../../src/protocol/ijson.js';
import { parseRequest, type RequestEnvelope } from '../../src/protocol/request.js';

const CORE = 'urn:ietf:params:jmap:core';

function request(text: string, maxCallsInRequest = 4): RequestEnvelope {
  const hasCapability = (urn: string) => urn === CORE || urn === 'urn:example:todos';
  return parseRequest(parseIJson(Buffer.from(text)), { maxCallsInRequest, hasCapability });
}

it('no capability behind the first unknown one is looked up or kept', () => {
  const asked: string[] = [];
  const hasCapability = (urn: string): boolean => {
    asked.push(urn);
    return urn === CORE;
  };
  const using = [CORE, CORE, ...Array.from({ length: 100_000 }, (_, n) => `u${n}`)];
  const parse = () =>
    parseRequest({ using, methodCalls: [] }, { maxCallsInRequest: 4, hasCapability });
  const add = vi.spyOn(Set.prototype, 'add');
  const added = (): number => {
    try {
      expect(parse).toThrow('no capability "u0"');
      return add.mock.calls.length;
    } finally {
      add.mockRestore();
    }
  };
  expect(added()).toBeLessThan(100);
  expect(asked).toEqual([CORE, 'u0']);
  // A wrong shape anywhere comes first.
  const shapeless = () =>
    parseRequest({ using: ['u', 1], methodCalls: [] }, { maxCallsInRequest: 4, hasCapability });
  expect(shapeless).toThrow('strings alone');
});

function refused(text: string): RequestError {
  try {
    request(text);
  } catch (error) {
    if (error instanceof RequestError) return error;
    throw error;
  }
  throw new Error(`Not refused: ${text}`);
}

const calls = (count: number) => JSON.stringify(Array(count).fill(['Core/echo', {}, 'c']));
const createdIds = (count: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, `id${i}`])));

describe('RFC 8620 3.3: a Request object', () => {
  it('has its capabilities, calls in order and creation ids', () => {
    const parsed = request(
      `{"using":["${CORE}"],"methodCalls":[["b",{"x":1},"2"],["a",{},"1"]],` +
        '"createdIds":{"k":"r1"}}',
    );
    expect([...parsed.using]).toEqual([CORE]);
    expect(parsed.methodCalls).toEqual([
      { name: 'b', args: { x: 1 }, callId: '2' },
      { name: 'a', args: {}, callId: '1' },
    ]);
    expect([...(parsed.createdIds ?? [])]).toEqual([['k', 'r1']]);
  });

  it('takes capabilities twice, none, and no calls', () => {
    expect([...request(`{"using":["${CORE}","${CORE}"],"methodCalls":[]}`).using]).toEqual([CORE]);
    expect(request('{"using":[],"methodCalls":[]}').using.size).toBe(0);
  });

  it('tells absent creation ids from an empty map', () => {
    expect(request('{"using":[],"methodCalls":[]}').createdIds).toBeNull();
    expect(request('{"using":[],"methodCalls":[],"createdIds":{}}').createdIds?.size).toBe(0);
  });

  it('ignores other members, whatever their names', () => {
    const text = '{"using":[],"methodCalls":[],"x":1,"__proto__":{"createdIds":5},"toString":2}';
    expect(request(text).createdIds).toBeNull();
  });

  it('keeps any call id and method name as it is', () => {
    const id = '"\\u0000 é 😀"';
    expect(
      request(`{"using":[],"methodCalls":[["",{},${JSON.stringify(id)}]]}`).methodCalls,
    ).toEqual([{ name: '', args: {}, callId: id }]);
  });

  it('takes names of Object.prototype as creation ids', () => {
    const text = '{"using":[],"methodCalls":[],"createdIds":{"__proto__":"r1","constructor":"r2"}}';
    expect([...(request(text).createdIds ?? [])]).toEqual([
      ['__proto__', 'r1'],
      ['constructor', 'r2'],
    ]);
  });
});

describe('RFC 8620 3.6.1: notRequest', () => {
  it.each([
    '{}',
    '[]',
    'null',
    '42',
    '"x"',
    'true',
    '1e400',
    '{"using":[]}',
    '{"methodCalls":[]}',
    '{"using":null,"methodCalls":[]}',
    '{"using":"x","methodCalls":[]}',
    '{"using":{},"methodCalls":[]}',
    '{"using":[1],"methodCalls":[]}',
    '{"using":[null],"methodCalls":[]}',
    '{"Using":[],"methodCalls":[]}',
    '{"__proto__":{"using":[],"methodCalls":[]}}',
    '{"using":[],"methodCalls":{}}',
    '{"using":[],"methodCalls":null}',
    '{"using":[],"methodCalls":[{}]}',
    '{"using":[],"methodCalls":["Core/echo"]}',
    '{"using":[],"methodCalls":[["Core/echo",{}]]}',
    '{"using":[],"methodCalls":[["Core/echo",{},"c",1]]}',
    '{"using":[],"methodCalls":[[1,{},"c"]]}',
    '{"using":[],"methodCalls":[["Core/echo",[],"c"]]}',
    '{"using":[],"methodCalls":[["Core/echo",null,"c"]]}',
    '{"using":[],"methodCalls":[["Core/echo",1e400,"c"]]}',
    '{"using":[],"methodCalls":[["Core/echo",{},1]]}',
    '{"using":[],"methodCalls":[["Core/echo",{},null]]}',
    '{"using":[],"methodCalls":[],"createdIds":null}',
    '{"using":[],"methodCalls":[],"createdIds":"x"}',
    '{"using":[],"methodCalls":[],"createdIds":[]}',
    '{"using":[],"methodCalls":[],"createdIds":{"k":1}}',
    '{"using":[],"methodCalls":[],"createdIds":{"k":null}}',
    '{"using":[],"methodCalls":[],"createdIds":{"k":""}}',
    '{"using":[],"methodCalls":[],"createdIds":{"k":"a b"}}',
    '{"using":[],"methodCalls":[],"createdIds":{"#k":"r1"}}',
    '{"using":[],"methodCalls":[],"createdIds":{"":"r1"}}',
  ])('%s', (text) => {
    const error = refused(text);
    expect([error.type, error.status]).toEqual(['notRequest', 400]);
  });

  it('says which call is wrong', () => {
    const text = '{"using":[],"methodCalls":[["a",{},"c"],["b",{},5]]}';
    expect(refused(text).message).toContain('methodCalls[1][2]');
  });
});

describe('RFC 8620 3.6.1: unknownCapability', () => {
  it('names the URN', () => {
    const error = refused(`{"using":["${CORE}","urn:example:nope"],"methodCalls":[]}`);
    expect(error.type).toBe('unknownCapability');
    expect(error.message).toContain('urn:example:nope');
  });

  it('comes for a name of Object.prototype too', () => {
    expect(refused('{"using":["__proto__"],"methodCalls":[]}').type).toBe('unknownCapability');
  });

  it('comes after the shape and before the limits', () => {
    expect(refused('{"using":["urn:x"],"methodCalls":5}').type).toBe('notRequest');
    expect(refused(`{"using":["urn:x"],"methodCalls":${calls(5)}}`).type).toBe('unknownCapability');
  });

  it('does not send a long name back whole', () => {
    const text = `{"using":["${'u'.repeat(100_000)}"],"methodCalls":[]}`;
    expect(refused(text).message.length).toBeLessThan(400);
  });
});

describe('RFC 8620 3.6.1: limit', () => {
  it('maxCallsInRequest passes at the number and not one above', () => {
    expect(request(`{"using":[],"methodCalls":${calls(4)}}`).methodCalls).toHaveLength(4);
    const error = refused(`{"using":[],"methodCalls":${calls(5)}}`);
    expect([error.type, error.limit]).toEqual(['limit', 'maxCallsInRequest']);
    expect(error.toProblem()).toMatchObject({ limit: 'maxCallsInRequest', status: 400 });
  });

  it('maxCreatedIdsInRequest is 4,096', () => {
    const text = (count: number) =>
      `{"using":[],"methodCalls":[],"createdIds":${createdIds(count)}}`;
    expect(request(text(4096)).createdIds?.size).toBe(4096);
    expect(refused(text(4097)).limit).toBe('maxCreatedIdsInRequest');
  });
});
