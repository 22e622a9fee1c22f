import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeEventReader, type StreamEvent } from '../../src/transport/event-reader.js';

/** Reads a stream that comes in pieces. */
function readAll(pieces: readonly string[], id = '') {
  const events: StreamEvent[] = [];
  const place = { id, retry: 0 };
  const read = makeEventReader(place, (event) => events.push(event));
  for (const piece of pieces) read(piece);
  return { events, place };
}

const message = (data: string, type = 'message') => ({ type, data });

describe('a reader of an event stream', () => {
  // Some are the examples of the HTML standard, 9.2.6.
  it.each<[string, string, readonly StreamEvent[]]>([
    ['data of several lines', 'data: YHOO\ndata: +2\ndata: 10\n\n', [message('YHOO\n+2\n10')]],
    ['comments', ': test stream\n\ndata: first\n:\n\n', [message('first')]],
    [
      'one space behind the colon',
      'data:test\n\ndata:  two\n\n',
      [message('test'), message(' two')],
    ],
    ['fields without a colon', 'data\n\ndata\ndata\n\ndata:', [message(''), message('\n')]],
    ['types', 'event: add\ndata: 7\n\ndata: 8\n\n', [message('7', 'add'), message('8')]],
    ['an empty type', 'event: add\nevent\ndata: 7\n\n', [message('7')]],
    ['unknown fields', 'nothing: 1\nDATA: 2\n data: 3\ndata: 4\n\n', [message('4')]],
    ['no event without data', 'event: add\n\nid: 1\n\n', []],
    ['no event without its end', 'data: 1\n\ndata: 2\n', [message('1')]],
    ['colons in data', 'data: {"a":1}\n\n', [message('{"a":1}')]],
    [
      'line separators of Unicode in data',
      'data: a\u2028b\u0085c\n\n',
      [message('a\u2028b\u0085c')],
    ],
  ])('takes %s', (_, text, events) => {
    expect(readAll([text]).events).toEqual(events);
  });

  it('keeps the last id, from the end of its event on', () => {
    expect(readAll(['id: 1\ndata: a\n\nid: 2\ndata: b\n']).place.id).toBe('1');
    expect(readAll(['id: 1\n\ndata: b\n\n']).place.id).toBe('1');
    expect(readAll(['id\n\n'], '7').place.id).toBe('');
    expect(readAll(['id: 2\0\n\n'], '7').place.id).toBe('7');
    expect(readAll(['data: 1\n\n'], '7').place.id).toBe('7');
  });

  it('keeps the place before an event that nobody could take', () => {
    const place = { id: '1', retry: 0 };
    const read = makeEventReader(place, () => {
      throw new Error('It is no JSON.');
    });
    expect(() => read('id: 2\ndata: {\n\n')).toThrow('no JSON');
    expect(place.id).toBe('1');
  });

  it('keeps the time of retry, where it is a number', () => {
    expect(readAll(['retry: 2500\n']).place.retry).toBe(2500);
    expect(readAll(['retry: 2.5\nretry: 1e3\nretry: -1\nretry\n']).place.retry).toBe(0);
  });

  it('takes the same from a stream with other ends of lines, in any pieces', () => {
    const line = fc.constantFrom('data: a', 'data: b', 'event: x', 'id: 3', ': c', '', 'retry: 5');
    const end = fc.constantFrom('\n', '\r\n', '\r');
    const lines = fc.array(line, { maxLength: 12 });
    fc.assert(
      fc.property(lines, end, fc.array(fc.nat(100)), (parts, ending, cuts) => {
        const text = parts.map((one) => one + ending).join('');
        const places = [...new Set(cuts)].sort((one, other) => one - other);
        const pieces = [0, ...places].map((from, index) => text.slice(from, places[index]));
        expect(readAll(pieces)).toEqual(readAll([parts.map((one) => `${one}\n`).join('')]));
      }),
    );
  });

  it('ends a line at a CR at once', () => {
    const { events } = readAll(['data: 1\r', '\r']);
    expect(events).toEqual([message('1')]);
  });
});
