import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../support/poll.js';
import { Device } from './device.js';
import { Fleet } from './random/fleet.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const folder = mkdtempSync(join(tmpdir(), 'jmapsmith-push-clock-'));
const file = join(folder, 'offset');

/** Moves the clock of the server. */
function setClock(offset: number): void {
  writeFileSync(file, String(offset));
}

let fleet: Fleet;
beforeAll(async () => {
  setClock(0);
  const preload = new URL('../faults/clock.mjs', import.meta.url).href;
  const env = { NODE_OPTIONS: `--import=${preload}`, CLOCK_FILE: file };
  fleet = await Fleet.start({ url: null, servers: 1, server: { env } });
});
beforeEach(() => setClock(0));
afterAll(async () => {
  await fleet.remove();
  rmSync(folder, { recursive: true });
});

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
