import { expect, it, onTestFinished } from 'vitest';
import { startProxy } from '../faults/proxy.js';
import { EventStream } from '../support/event-source.js';
import { eventually } from '../support/poll.js';
import { useOwnPostgresql } from '../support/postgresql.js';
import { Device } from './device.js';
import { Fleet } from './random/fleet.js';

const QUERY = { types: '*', closeafter: 'no', ping: '0' };

const postgresql = useOwnPostgresql();

/** Two servers, whose way to the database can be led to another one. */
async function setUp() {
  const url = new URL(await postgresql().createDatabase('fail_over'));
  const network = await startProxy(Number(url.port));
  onTestFinished(() => network.close());
  url.port = String(network.port);
  const fleet = await Fleet.start({ url: url.href, servers: 2, speed: 1 });
  onTestFinished(() => fleet.remove());
  const device = await Device.make(fleet);
  onTestFinished(() => device.close());
  return { network, fleet, device };
}

/** The states of Todo that a stream was told, one after the other. */
function statesOf({ events }: EventStream, accountId: string): readonly number[] {
  return events
    .map(({ data }) => data['changed'] as Record<string, Record<string, string>> | undefined)
    .map((changed) => changed?.[accountId]?.['Todo'])
    .filter((state) => state !== undefined)
    .map(Number);
}

/** Expects that no state is below one before it, and that so many are there twice at the most. */
function expectRising(states: readonly number[], twice = 0): void {
  expect([...states].sort((a, b) => a - b)).toEqual(states);
  expect(states.length - new Set(states).size).toBeLessThanOrEqual(twice);
}

it('receivers outlive a fail-over to a standby, and are told no earlier state', async () => {
  const { network, fleet, device } = await setUp();
  const { accountId } = device;
  const id = await device.subscribe();
  const readTold = async () =>
    (await fleet.prisma.jmapPushSubscription.findUniqueOrThrow({ where: { id } })).told;
  const atCreation = await readTold();
  const streams = await Promise.all(
    [0, 1].map((index) => EventStream.open(device.client(index), QUERY)),
  );
  onTestFinished(() => {
    for (const stream of streams) stream.close();
  });
  const first = await device.write();
  for (const stream of streams) await stream.state(accountId, 'Todo', first);
  await eventually(() => expect(device.states).toEqual([first]));
  // The row says it from then on, whoever serves the subscription.
  await eventually(async () => expect(await readTold()).not.toEqual(atCreation));

  await postgresql().stop();
  network.redirect(await postgresql().startCopy());

  const second = await eventually(() => device.write(1));
  for (const stream of streams) await stream.state(accountId, 'Todo', second);
  await eventually(() => expect(device.states.at(-1)).toBe(second));
  const third = await device.write();
  const last = await Promise.all(streams.map((stream) => stream.state(accountId, 'Todo', third)));
  await eventually(() => expect(device.states.at(-1)).toBe(third));

  for (const stream of streams) expectRising(statesOf(stream, accountId));
  // Its shard may move once to the other server, before what this one has told is stored.
  expectRising(device.states.map(Number), 1);
  const { state } = await device.client().ok('Todo/get', { accountId, ids: [] });
  expect(state).toBe(third);

  // An id of before the fail-over is still good at each server.
  const { id: before } = streams[0]?.events[0] ?? {};
  const { id: now } = last[1] ?? {};
  const header = (value: string | null | undefined) => ({ 'last-event-id': value ?? '' });
  const behind = await EventStream.open(device.client(1), QUERY, header(before));
  await behind.state(accountId, 'Todo', third);
  behind.close();
  const abreast = await EventStream.open(device.client(0), QUERY, header(now));
  const fourth = await device.write(1);
  await abreast.state(accountId, 'Todo', fourth);
  expect(statesOf(abreast, accountId)).toEqual([Number(fourth)]);
  abreast.close();
});
