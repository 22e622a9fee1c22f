import { createHash } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createAccount,
  createAuthenticator,
  createTickets,
  createToken,
  type Principal,
  pruneTickets,
  revokeToken,
} from '../../src/accounts/index.js';
import { tokenCredential } from '../../src/accounts/token-text.js';
import type { PrismaClient } from '../../src/database/sqlite/prisma.js';
import { UnavailableError } from '../../src/protocol/errors.js';
import { createIdGenerator } from '../../src/protocol/ids.js';
import { usePostgresql } from '../support/postgresql.js';
import { openTestDatabase } from './database.js';
import { openForTwo } from './shared-database.js';

const ids = createIdGenerator();
const postgresql = usePostgresql();
const two = (engine: string) => openForTwo(engine, postgresql);

async function principalOf(
  prisma: PrismaClient,
  user = 'alice',
): Promise<{ principal: Principal; token: string }> {
  await createAccount(prisma, ids, { name: 'A', user });
  const token = await createToken(prisma, ids, { user });
  const principal = await createAuthenticator(prisma).authenticate(token);
  if (principal === null) throw new Error('The token is good.');
  return { principal, token };
}

describe.each(['SQLite', 'PostgreSQL'])('tickets on %s', (engine) => {
  it('that one server gave stand for their token at another, once', async () => {
    const [a, b] = await two(engine);
    const { principal } = await principalOf(a);
    const { ticket } = await createTickets(a).issue(principal, null);
    expect(ticket).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(await createTickets(b).redeem(ticket)).toEqual(principal.credential);
    expect(await createTickets(a).redeem(ticket)).toBe(null);
    expect(await createTickets(b).redeem(ticket)).toBe(null);
    for (const wrong of ['', 'unknown', `${ticket}A`, 'A'.repeat(43)]) {
      expect(await createTickets(a).redeem(wrong)).toBe(null);
    }
  });

  it('that are used at two servers at once have one winner', async () => {
    const [a, b] = await two(engine);
    const { principal } = await principalOf(a);
    const servers = [createTickets(a), createTickets(b)];
    for (let round = 0; round < 5; round += 1) {
      const { ticket } = await createTickets(a).issue(principal, null);
      const used = await Promise.all(
        [...servers, ...servers, ...servers].map((tickets) => tickets.redeem(ticket)),
      );
      expect(used.filter((credential) => credential !== null)).toEqual([principal.credential]);
    }
  });

  it('expire after 60 seconds, and are removed then', async () => {
    const [a, b] = await two(engine);
    let time = 1_000_000;
    const now = (): number => time;
    const { principal } = await principalOf(a);
    const tickets = createTickets(a, { now });
    const first = await tickets.issue(principal, null);
    const second = await tickets.issue(principal, null);
    for (let count = 0; count < 3; count += 1) await tickets.issue(principal, null);
    expect(first.expires).toBe(1_060_000);
    time = 1_059_999;
    expect(await createTickets(b, { now }).redeem(first.ticket)).toEqual(principal.credential);
    expect(await pruneTickets(a, time, 10)).toBe(0);
    time = 1_060_000;
    expect(await createTickets(b, { now }).redeem(second.ticket)).toBe(null);
    await tickets.issue(principal, null);
    expect([await pruneTickets(a, time, 2), await pruneTickets(b, time, 2)]).toEqual([2, 1]);
    expect(await a.jmapTicket.count()).toBe(1);
  });

  it('end with the token that they came from', async () => {
    const [a, b] = await two(engine);
    const { principal, token } = await principalOf(a);
    const other = await principalOf(a, 'bob');
    const { ticket } = await createTickets(b).issue(principal, null);
    const kept = await createTickets(b).issue(other.principal, null);
    await revokeToken(a, token);
    expect(await createTickets(b).redeem(ticket)).toBe(null);
    expect(await createTickets(b).redeem(kept.ticket)).toEqual(other.principal.credential);
    // One that a server gives while the token goes is worth as much as the token.
    const late = await createTickets(b).issue(principal, null);
    const credential = await createTickets(a).redeem(late.ticket);
    expect(await createAuthenticator(a).refresh(credential ?? tokenCredential(''))).toBe(null);
  });

  it('are bounded: the oldest of a user makes room, another user’s stays', async () => {
    const [a, b] = await two(engine);
    let time = 0;
    const now = (): number => (time += 1);
    const tickets = [createTickets(a, { now }), createTickets(b, { now })] as const;
    const { principal } = await principalOf(a);
    const bob = await principalOf(a, 'bob');
    const other = await tickets[0].issue(bob.principal, null);
    const issued: string[] = [];
    // The last ones at once, on both servers.
    while (issued.length < 60) issued.push((await tickets[0].issue(principal, null)).ticket);
    const last = Array.from({ length: 10 }, (_, n) =>
      tickets[n % 2 ? 1 : 0].issue(principal, null),
    );
    issued.push(...(await Promise.all(last)).map(({ ticket }) => ticket));
    const { userId } = principal;
    expect(await a.jmapTicket.count({ where: { userId } })).toBe(64);
    expect(await tickets[1].redeem(issued[5] ?? '')).toBe(null);
    expect(await tickets[1].redeem(issued[6] ?? '')).toEqual(principal.credential);
    expect(await tickets[1].redeem(other.ticket)).toEqual(bob.principal.credential);
  });

  it('are kept as hashes alone', async () => {
    const [a] = await two(engine);
    const { principal } = await principalOf(a);
    const { ticket } = await createTickets(a).issue(principal, null);
    const row = await a.jmapTicket.findFirstOrThrow();
    expect(Buffer.from(row.hash)).toEqual(createHash('sha256').update(ticket).digest());
    expect(Object.values(row).map(String)).not.toContain(ticket);
  });
});

describe('tickets without a database', () => {
  it('are unavailable; a text that has another form asks no database', async () => {
    const database = openTestDatabase();
    onTestFinished(() => database.close());
    const { principal } = await principalOf(database.prisma);
    const tickets = createTickets(database.prisma);
    database.db.exec('DROP TABLE "JmapTicket"');
    await expect(tickets.issue(principal, null)).rejects.toBeInstanceOf(UnavailableError);
    await expect(tickets.redeem('A'.repeat(43))).rejects.toBeInstanceOf(UnavailableError);
    expect(await tickets.redeem('short')).toBe(null);
  });

  it('a guessed ticket writes nothing', async () => {
    const database = openTestDatabase();
    onTestFinished(() => database.close());
    database.db.exec('BEGIN IMMEDIATE');
    // The holder of the lock keeps writers out, and a reader doesn't wait.
    expect(await createTickets(database.prisma).redeem('A'.repeat(43))).toBe(null);
    database.db.exec('ROLLBACK');
  });
});
