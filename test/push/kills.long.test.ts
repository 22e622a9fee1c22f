import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { EventStream } from '../support/event-source.js';
import { eventually } from '../support/poll.js';
import { usePostgresql } from '../support/postgresql.js';
import { Device } from './device.js';
import { Fleet } from './random/fleet.js';

const QUERY = { types: '*', closeafter: 'no', ping: '0' };
/** The servers' clocks run five times as fast: 30 s of theirs. Nothing waits for longer. */
const LONG = 6000;

const postgresql = usePostgresql();

describe.each([
  { database: 'SQLite', servers: 1 },
  { database: 'PostgreSQL', servers: 2 },
])('kill -9 of all servers, on $database', ({ database, servers }) => {
  let fleet: Fleet;
  beforeAll(async () => {
    const url = database === 'SQLite' ? null : await postgresql().createDatabase('push_kills');
    fleet = await Fleet.start({ url, servers });
  });
  afterAll(() => fleet.remove());

  async function makeDevice(): Promise<Device> {
    const device = await Device.make(fleet);
    onTestFinished(() => device.close());
    return device;
  }

  /** A device whose push service has got the verification, and doesn't answer it. */
  async function makeUnanswered(): Promise<{ readonly device: Device; readonly id: string }> {
    const device = await makeDevice();
    device.respond = () => undefined;
    await device.create();
    await eventually(() => expect(device.verifications).toHaveLength(1));
    const [{ pushSubscriptionId: id = '' } = {}] = device.verifications;
    return { device, id };
  }

  const rowOf = (id: string) =>
    fleet.prisma.jmapPushSubscription.findUniqueOrThrow({ where: { id } });

  it('between a commit and its push: the push comes after the start', async () => {
    const device = await makeDevice();
    await device.subscribe();
    const first = await device.write();
    await eventually(() => expect(device.states).toEqual([first]));
    // Within the pause between two pushes.
    const second = await device.write();
    await fleet.killAll();
    expect(device.states).toEqual([first]);
    await fleet.startAll();
    await eventually(() => expect(device.states.at(-1)).toBe(second));
  });

  it('between a push and its record: the push comes twice at most', async () => {
    const device = await makeDevice();
    await device.subscribe();
    const killed = new Promise<void>((resolve) => {
      device.respond = (response) => {
        response.writeHead(201).end(() => resolve(fleet.killAll()));
      };
    });
    const state = await device.write();
    await killed;
    device.respond = (response) => response.writeHead(201).end();
    await fleet.startAll();
    await eventually(() => expect(device.states).toEqual([state, state]));
    // The record of it is written within a second.
    await pause(LONG);
    await fleet.killAll();
    await fleet.startAll();
    const next = await device.write();
    await eventually(() => expect(device.states).toEqual([state, state, next]));
  });

  it('between a creation and its verification: it is sent after the start, once', async () => {
    const { device, id } = await makeUnanswered();
    await fleet.killAll();
    device.messages.length = 0;
    device.respond = (response) => response.writeHead(201).end();
    // The database as it is where no process had begun to send it.
    await fleet.prisma.jmapPushSubscription.update({
      where: { id },
      data: { verificationSent: null },
    });
    await fleet.startAll();
    const state = await device.write();
    await device.verify();
    // Nothing else changes: what happened before the verification is told by itself.
    await eventually(() => expect(device.states.at(-1)).toBe(state));
    const next = await device.write();
    await eventually(() => expect(device.states.at(-1)).toBe(next));
    expect(device.verifications).toHaveLength(1);
  });

  it('within the sending of a verification: nobody sends it again', async () => {
    const { device, id } = await makeUnanswered();
    await fleet.killAll();
    await fleet.startAll();
    await device.write();
    await pause(LONG);
    expect(device.messages).toHaveLength(1);
    expect((await rowOf(id)).verified).toBe(null);
  });

  it('after a verification that nobody answered: nobody sends it again', async () => {
    const { device, id } = await makeUnanswered();
    await eventually(async () => expect((await rowOf(id)).lastFailureReason).toBe('noAnswer'));
    await fleet.killAll();
    await fleet.startAll();
    await device.write();
    await pause(LONG);
    expect(device.messages).toHaveLength(1);
  });

  it('around a creation, at any moment: the verification is sent once or was begun', async () => {
    for (let round = 0; round < 8; round += 1) {
      const device = await makeDevice();
      const creating = device.create().catch(() => null);
      await pause(round * 4);
      await fleet.killAll();
      await creating;
      await fleet.startAll();
      const created = await fleet.prisma.jmapPushSubscription.findMany({
        where: { tokenId: device.token.split('_')[1] ?? '' },
      });
      for (const { id } of created)
        await eventually(async () => expect((await rowOf(id)).verificationSent).not.toBe(null));
      const mayBeLost = created.every(({ verificationSent }) => verificationSent !== null);
      if (!mayBeLost) await eventually(() => expect(device.verifications).toHaveLength(1));
      expect(device.verifications.length).toBeLessThanOrEqual(created.length);
    }
  });
});

describe('kill -9 of one of two servers', () => {
  let fleet: Fleet;
  beforeAll(async () => {
    const url = await postgresql().createDatabase('push_kill');
    // Short pauses would let the server tell of the commit before it is killed.
    fleet = await Fleet.start({ url, servers: 2, speed: 1 });
  });
  afterAll(() => fleet.remove());

  it('between a commit and its notice: streams of the other server have it in time', async () => {
    const device = await Device.make(fleet);
    onTestFinished(() => device.close());
    const stream = await EventStream.open(device.client(1), QUERY);
    // Both hear each other.
    await stream.state(device.accountId, 'Todo', await device.write());
    // For a moment the first server tells nobody of its commits.
    expect(await fleet.cutSessions(1)).toBe(1);
    const state = await device.write();
    await fleet.end(0, 'kill');
    // A server that is silent for 10 s counts as lost. Without that, 45 s pass at least.
    await stream.find(({ data }) => {
      const changed = data['changed'] as Record<string, Record<string, string>> | undefined;
      return changed?.[device.accountId]?.['Todo'] === state;
    }, 30_000);
    stream.close();
  });
});
