import { describe, expect, it } from 'vitest';
import { HintBatch } from '../../../src/push/hub/hint-batch.js';
import { Notifier } from '../../../src/push/hub/notifier.js';
import { payloadHead, readPayload } from '../../../src/push/hub/payload.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function setUp(pause: number) {
  const sent: string[] = [];
  const waiting: { resolve(): void; reject(): void }[] = [];
  const batch = new HintBatch();
  const notifier = new Notifier({
    ...{ batch, pause },
    head: () => payloadHead('me', 'g'),
    send({ text }) {
      const message = readPayload(text)?.message;
      sent.push(message?.kind === 'hints' ? [...message.hints.keys()].join() : 'none');
      return new Promise((resolve, reject) => {
        waiting.push({ resolve, reject: () => reject(new Error('lost')) });
      });
    },
  });
  const add = (accountId: string, changed = { Todo: '1' }): void => {
    batch.add({ accountId, changed });
    notifier.wake();
  };
  return { sent, waiting, batch, notifier, add };
}

/** Longer than any test takes. */
const NEVER = 3_600_000;

describe('A notifier', () => {
  it('sends in the next turn after a quiet time, with all that this turn brings', async () => {
    const { sent, add } = setUp(NEVER);
    add('a');
    add('b');
    expect(sent).toEqual([]);
    await turn();
    expect(sent).toEqual(['a,b']);
  });

  it('gathers what comes soon after, and sends one payload at a time', async () => {
    const { sent, waiting, add } = setUp(1);
    add('a');
    await turn();
    add('b');
    await new Promise((resolve) => setTimeout(resolve, 20));
    add('c');
    expect(sent).toEqual(['a']);
    waiting[0]?.resolve();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(sent).toEqual(['a', 'b,c']);
  });

  it('does not wait where a payload is full', async () => {
    const { sent, waiting, add } = setUp(NEVER);
    add('a');
    await turn();
    waiting[0]?.resolve();
    await turn();
    add('b');
    await turn();
    expect(sent).toEqual(['a']);
    for (let at = 0; at < 400; at += 1) add(`account${at}`);
    await turn();
    expect(sent.length).toBe(2);
  });

  it('sends nothing by itself after the session is lost, and the rest at its end', async () => {
    const { sent, waiting, batch, notifier, add } = setUp(1);
    add('a');
    await turn();
    add('b');
    waiting[0]?.reject();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(sent).toEqual(['a']);
    const flushed = notifier.flush();
    await turn();
    expect(sent).toEqual(['a', 'b']);
    waiting[1]?.resolve();
    await flushed;
    expect(batch.isEmpty).toBe(true);
  });
});
