import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../support/poll.js';
import { usePostgresql } from '../support/postgresql.js';
import { Device } from './device.js';
import { Fleet } from './random/fleet.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const folder = mkdtempSync(join(tmpdir(), 'jmapsmith-push-clock-'));
const file = join(folder, 'offset');

/** Moves the clocks of the servers. */
function setClock(offset: number): void {
  writeFileSync(file, String(offset));
}

afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => setClock(0));

const postgresql = usePostgresql();

describe.each([
  { database: 'SQLite', servers: 1 },
  { database: 'PostgreSQL', servers: 2 },
])('clocks that jump, on $database', ({ database, servers }) => {
  let fleet: Fleet;
  beforeAll(async () => {
    setClock(0);
    const preload = new URL('../faults/clock.mjs', import.meta.url).href;
    const env = { NODE_OPTIONS: `--import=${preload}`, CLOCK_FILE: file };
    const url = database === 'SQLite' ? null : await postgresql().createDatabase('push_clock');
    fleet = await Fleet.start({ url, servers, server: { env } });
  });
  afterAll(() => fleet.remove());

  async function makeDevice(): Promise<Device> {
    const device = await Device.make(fleet);
    onTestFinished(() => device.close());
    return device;
  }

  it('a subscription that has expired stays dead when the clock is set back', async () => {
    const device = await makeDevice();
    const expires = new Date(Date.now() + HOUR).toISOString().replace(/\.\d+/, '');
    const id = await device.subscribe({ expires });
    const first = await device.write();
    await eventually(() => expect(device.states).toEqual([first]));
    setClock(2 * HOUR);
    await device.write();
    const where = { id };
    await eventually(async () =>
      expect(await fleet.prisma.jmapPushSubscription.findUnique({ where })).toBe(null),
    );
    setClock(0);
    const { list } = await device.client().ok('PushSubscription/get', {});
    expect([device.states, list]).toEqual([[first], []]);
  });

  it('a clock that is set back stretches no wait after a failure', async () => {
    const device = await makeDevice();
    const id = await device.subscribe();
    setClock(DAY);
    device.respond = (response) => response.writeHead(500).end();
    const state = await device.write();
    await eventually(async () => {
      const row = await fleet.prisma.jmapPushSubscription.findUniqueOrThrow({ where: { id } });
      expect(Number(row.notBefore)).toBeGreaterThan(Date.now() + DAY / 2);
    });
    setClock(0);
    await fleet.killAll();
    device.respond = (response) => response.writeHead(201).end();
    const before = device.states.length;
    await fleet.startAll();
    await eventually(() => expect(device.states.length).toBeGreaterThan(before));
    expect(device.states.at(-1)).toBe(state);
  });
});
