import { afterEach, expect, it } from 'vitest';
import { UnavailableError } from '../../src/protocol/errors.js';
import type { Snapshot } from '../../src/store/port.js';
import { Gadget } from './gadget.js';
import { ACCOUNT, hook, LIMIT, Log } from './log-rig.js';

// A read waits five seconds for one that holds the log.

let log: Log;
afterEach(() => log.opened.close());

it('the log makes others wait only while a read lasts, and is emptied after it', async () => {
  log = await Log.open(false);
  await log.write(1);
  let end = (): void => undefined;
  const told = new Promise<void>((resolve) => {
    end = resolve;
  });
  const late = log.opened.store.read(ACCOUNT, hook(), async (snapshot) => {
    await snapshot.stateNumber(Gadget);
    await told;
    return snapshot.existing(Gadget, ['g2']);
  });
  // The store closes, whatever fails below.
  setTimeout(end, 60_000).unref();
  await log.write(100);
  expect(log.length).toBeGreaterThan(LIMIT);
  const short = (snapshot: Snapshot) => snapshot.existing(Gadget, ['g2']);
  // The first one waits, as long as it is worth it; the second one comes right after it.
  expect(await log.opened.store.read(ACCOUNT, hook(), short)).toEqual(new Set(['g2']));
  const hurried = { deadline: performance.now() + 300, exclusive: true };
  expect(await log.opened.store.read(ACCOUNT, hurried, short)).toEqual(new Set(['g2']));
  await log.write(100);
  const impatient = { deadline: performance.now() + 20, exclusive: true };
  await expect(log.opened.store.read(ACCOUNT, impatient, short)).rejects.toBeInstanceOf(
    UnavailableError,
  );
  end();
  expect(await late).toEqual(new Set());
  await log.write(100);
  await log.opened.store.read(ACCOUNT, hook(), short);
  expect(log.length).toBe(0);
});
