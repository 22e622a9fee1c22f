import { describe, expect, it } from 'vitest';
import { Tickets } from '../../src/transports/tickets.js';

describe('tickets (decision 25)', () => {
  it('stand for their token once', () => {
    const tickets = new Tickets();
    const { ticket } = tickets.issue('t1');
    expect(tickets.redeem(ticket)).toBe('t1');
    expect(tickets.redeem(ticket)).toBe(null);
    expect(tickets.redeem('unknown')).toBe(null);
  });

  it('are worth nothing after 60 seconds', () => {
    let now = 1000;
    const tickets = new Tickets(() => now);
    const first = tickets.issue('t1');
    const second = tickets.issue('t1');
    expect(first.expires).toBe(61_000);
    now = 60_999;
    expect(tickets.redeem(first.ticket)).toBe('t1');
    now = 61_000;
    expect(tickets.redeem(second.ticket)).toBe(null);
  });

  it('are bounded: the oldest unused one of a token makes room, another token’s stays', () => {
    const tickets = new Tickets();
    const other = tickets.issue('t2');
    const issued = Array.from({ length: 65 }, () => tickets.issue('t1').ticket);
    const [first = '', second = ''] = issued;
    expect(tickets.redeem(first)).toBe(null);
    expect(tickets.redeem(second)).toBe('t1');
    expect(tickets.redeem(other.ticket)).toBe('t2');
  });
});
