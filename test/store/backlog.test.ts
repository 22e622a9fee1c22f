import { describe, expect, it } from 'vitest';
import { Backlog } from '../../src/store/sqlite/backlog.js';

/**
 * A log of so many pages, of which `moved` are in the database; `held` can't be moved while a read
 * lasts. `hidden`: a transaction runs, so that nobody can look at it.
 */
function rig() {
  const log = { pages: 0, moved: 0, held: 0, hidden: false };
  const done: string[] = [];
  const fails = new Set<string>();
  const moved = (name: string) => async (): Promise<void> => {
    if (fails.has(name)) throw new Error(`${name} failed.`);
    done.push(name);
    log.moved = log.pages - log.held;
  };
  const backlog = new Backlog({
    pages: () => {
      if (fails.has('pages')) throw new Error('The log can not be read.');
      return log.hidden ? null : log.pages;
    },
    move: moved('move'),
    moveWhileIdle: moved('moveRest'),
    moveHere: () => {
      if (fails.has('moveHere')) throw new Error('The disk is full.');
      done.push('moveHere');
      log.moved = log.pages;
    },
    empty: moved('empty'),
  });
  const write = async (pages: number): Promise<void> => {
    log.pages += pages;
    backlog.wrote();
    await backlog.idle();
  };
  return { backlog, log, done, fails, write };
}

describe("The pages of SQLite's log that the database lacks", () => {
  it('are moved beside the writes, once they are a thousand', async () => {
    const { done, write } = rig();
    for (let n = 0; n < 96; n += 1) await write(10);
    expect(done).toEqual([]);
    for (let n = 0; n < 8; n += 1) await write(10);
    expect(done).toEqual(['move']);
    for (let n = 0; n < 400; n += 1) await write(10);
    expect(done.filter((name) => name === 'move').length).toBeGreaterThanOrEqual(4);
  });

  it('are all moved now and then, so that the log begins again', async () => {
    const { log, done, write } = rig();
    let restarts = 0;
    for (let n = 0; n < 1200; n += 1) {
      await write(10);
      if (done.at(-1) === 'moveRest') {
        Object.assign(log, { pages: 0, moved: 0 });
        done.length = 0;
        restarts += 1;
      }
      expect(log.pages).toBeLessThan(5200);
    }
    expect(restarts).toBe(2);
  });

  it('are not tried again with each write while a read holds them', async () => {
    const { log, done, write } = rig();
    log.held = 5000;
    log.pages = 5000;
    for (let n = 0; n < 400; n += 1) await write(10);
    expect(done.length).toBeLessThan(8);
    log.held = 0;
    for (let n = 0; n < 104; n += 1) await write(10);
    expect(log.pages - log.moved).toBeLessThan(1000);
  });

  it('are not moved again at once if the log can not be looked at', async () => {
    const { backlog, log, done, write } = rig();
    for (let n = 0; n < 99; n += 1) await write(10);
    log.pages += 10;
    backlog.wrote();
    log.hidden = true;
    await backlog.idle();
    log.hidden = false;
    expect(done).toEqual(['move']);
    for (let n = 0; n < 96; n += 1) await write(10);
    expect(done).toEqual(['move']);
    for (let n = 0; n < 12; n += 1) await write(10);
    expect(done).toEqual(['move', 'move']);
  });

  it('are moved here if no thread is free, and later if the disk is full', async () => {
    const { log, done, fails, write } = rig();
    fails.add('move');
    for (let n = 0; n < 104; n += 1) await write(10);
    expect(done).toEqual(['moveHere']);
    fails.add('moveHere');
    for (let n = 0; n < 104; n += 1) await write(10);
    expect(done).toEqual(['moveHere']);
    fails.clear();
    for (let n = 0; n < 104; n += 1) await write(10);
    expect(done).toEqual(['moveHere', 'move']);
    expect(log.pages - log.moved).toBeLessThan(1000);
  });

  it('are all moved if the disk takes no more of a log, but not each time', async () => {
    const { backlog, log, done, write } = rig();
    await write(500);
    log.moved = 500;
    for (let n = 0; n < 20; n += 1) {
      backlog.refused();
      await backlog.idle();
    }
    expect(done).toEqual(['move', 'moveRest']);
  });

  it('fail no committed work if they can not be counted', async () => {
    const { backlog, done, fails, write } = rig();
    fails.add('pages');
    for (let n = 0; n < 8; n += 1) await write(1000);
    await backlog.move();
    expect(done).toEqual(['move']);
  });

  it('are left to the last one that closes the file once the store closes', async () => {
    const { backlog, done, write } = rig();
    await backlog.close();
    for (let n = 0; n < 8; n += 1) await write(1000);
    await backlog.move();
    backlog.refused();
    expect(done).toEqual([]);
  });
});
