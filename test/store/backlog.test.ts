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

describe("What SQLite's log has and the database hasn't", () => {
  it('is moved beside the writes, once it is a thousand pages', async () => {
    const { done, write } = rig();
    for (let n = 0; n < 96; n += 1) await write(10);
    expect(done).toEqual([]);
    for (let n = 0; n < 8; n += 1) await write(10);
    expect(done).toEqual(['move']);
    for (let n = 0; n < 400; n += 1) await write(10);
    expect(done.filter((name) => name === 'move').length).toBeGreaterThanOrEqual(4);
  });

  it('is moved to its end now and then, so that the log begins anew', async () => {
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

  it('what a read holds is not tried again with each write', async () => {
    const { log, done, write } = rig();
    log.held = 5000;
    log.pages = 5000;
    for (let n = 0; n < 400; n += 1) await write(10);
    expect(done.length).toBeLessThan(8);
    log.held = 0;
    for (let n = 0; n < 104; n += 1) await write(10);
    expect(log.pages - log.moved).toBeLessThan(1000);
  });

  it('is not moved again at once where it could not be looked at after it was moved', async () => {
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

  it('is moved here where no thread is to be had, and later where the disk is full', async () => {
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

  it('moves to its end where the disk takes no more of a log, but not each time', async () => {
    const { backlog, log, done, write } = rig();
    await write(500);
    log.moved = 500;
    for (let n = 0; n < 20; n += 1) {
      backlog.refused();
      await backlog.idle();
    }
    expect(done).toEqual(['move', 'moveRest']);
  });

  it('fails nothing that was committed where it can not be told how much there is', async () => {
    const { backlog, done, fails, write } = rig();
    fails.add('pages');
    for (let n = 0; n < 8; n += 1) await write(1000);
    await backlog.move();
    expect(done).toEqual(['move']);
  });

  it('is left to the last one that closes the file once the store closes', async () => {
    const { backlog, done, write } = rig();
    await backlog.close();
    for (let n = 0; n < 8; n += 1) await write(1000);
    await backlog.move();
    backlog.refused();
    expect(done).toEqual([]);
  });
});
