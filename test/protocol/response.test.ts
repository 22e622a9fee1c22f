import { describe, expect, it } from 'vitest';
import { responseText } from '../../src/protocol/response.js';

const parse = (pieces: readonly string[]): unknown => JSON.parse(pieces.join(''));

describe('RFC 8620 3.4: a Response object', () => {
  it('has the invocations in order and the session state', () => {
    const invocations = ['["a",{},"1"]', '["error",{"type":"unknownMethod"},"2"]'];
    expect(parse(responseText({ invocations, createdIds: null }, 's"1'))).toEqual({
      methodResponses: [
        ['a', {}, '1'],
        ['error', { type: 'unknownMethod' }, '2'],
      ],
      sessionState: 's"1',
    });
  });

  it('has createdIds only where there is a map, an empty one too', () => {
    expect(parse(responseText({ invocations: [], createdIds: null }, 's'))).toEqual({
      methodResponses: [],
      sessionState: 's',
    });
    expect(parse(responseText({ invocations: [], createdIds: new Map() }, 's'))).toEqual({
      methodResponses: [],
      createdIds: {},
      sessionState: 's',
    });
  });

  it('writes creation ids that are names of Object.prototype as plain members', () => {
    const createdIds = new Map([
      ['__proto__', 'r1'],
      ['k', 'r2'],
    ]);
    const text = responseText({ invocations: [], createdIds }, 's').join('');
    expect(text).toContain('"createdIds":{"__proto__":"r1","k":"r2"}');
  });

  it('RFC 8887 4.3.2: puts further members in front', () => {
    const body = { invocations: ['["a",{},"1"]'], createdIds: null };
    const text = responseText(body, 's', { '@type': 'Response', requestId: 'r"1' }).join('');
    expect(text).toBe(
      '{"@type":"Response","requestId":"r\\"1","methodResponses":[["a",{},"1"]],' +
        '"sessionState":"s"}',
    );
  });

  it('hands a long invocation on as it is, and joins short ones', () => {
    const long = `["a",{"x":"${'x'.repeat(100_000)}"},"1"]`;
    const short = '["b",{},"2"]';
    const pieces = responseText(
      { invocations: [short, short, long, short], createdIds: null },
      's',
    );
    expect(pieces).toContain(long);
    expect(pieces).toHaveLength(3);
    expect(parse(pieces)).toMatchObject({ methodResponses: { length: 4 } });
  });
});
