import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { connect, type Project } from '../../../examples/clients/mail/jmap/index.js';
import { type CachedClient, memory } from '../../src/index.js';
import { type Cyrus, NO_CYRUS, startCyrus } from '../support/cyrus.js';

// A server that others have written, and that knows nothing of jmapsmith.

if (NO_CYRUS !== null) it.skip(`Cyrus: ${NO_CYRUS}`);

describe.skipIf(NO_CYRUS !== null)('a client of Cyrus', () => {
  let cyrus: Cyrus;
  beforeAll(async () => {
    cyrus = await startCyrus();
  });
  afterAll(() => cyrus?.remove());

  const open: CachedClient<Project>[] = [];
  afterEach(async () => {
    for (const client of open.splice(0)) await client.close();
  });

  async function connectTo(over: typeof fetch = cyrus.fetch) {
    const jmap = await connect({ url: cyrus.url, token: '', fetch: over, store: memory() });
    open.push(jmap);
    await jmap.sync.settled();
    return { jmap, me: jmap.account() };
  }

  it('keeps mailboxes and e-mails in step', async () => {
    const [mine, other] = [await connectTo(), await connectTo()];
    const { Mailbox, Email } = mine.me;
    const boxes = other.me.Mailbox.live({ filter: { role: 'inbox' } });
    const mails = other.me.Email.live({ sort: ['-receivedAt'], include: ['mailbox'] });
    await other.jmap.sync.settled();
    expect(boxes.getSnapshot()).toMatchObject({ rows: [{ name: 'Inbox' }], complete: true });

    const trips = Mailbox.create({ name: 'Trips' });
    const oslo = Mailbox.create({ name: 'Oslo', parentId: trips.object.id });
    const letter = Email.create({
      ...{ mailboxIds: { [oslo.object.id]: true }, keywords: { $draft: true } },
      subject: 'Tickets',
    });
    const seen = Email.update(letter.object.$key, (mail) => {
      mail.keywords['$seen'] = true;
    });
    for (const { result } of [trips, oslo, letter, seen])
      expect(await result).toMatchObject({ ok: true });
    await other.jmap.sync.settled();
    const keywords = { $draft: true, $seen: true };
    expect(mails.getSnapshot()).toMatchObject({
      rows: [{ subject: 'Tickets', keywords, mailbox: [{ name: 'Oslo', totalEmails: 1 }] }],
      complete: true,
    });

    for (const { result } of [
      Email.destroy(letter.object.$key),
      Mailbox.destroy(oslo.object.$key),
      Mailbox.destroy(trips.object.$key),
    ])
      expect(await result).toMatchObject({ ok: true });
    await other.jmap.sync.settled();
    expect(mails.getSnapshot().rows).toEqual([]);
    expect(
      other.me.Mailbox.live()
        .getSnapshot()
        .rows.map(({ name }) => name),
    ).toEqual(['Inbox']);
  });

  it('creates one mailbox where the answer is lost', async () => {
    let isLost = false;
    const { jmap, me } = await connectTo(async (url, init) => {
      const response = await cyrus.fetch(url, init);
      if (!isLost || init?.method !== 'POST') return response;
      isLost = false;
      await response.arrayBuffer();
      throw new TypeError('The answer was lost.');
    });
    isLost = true;
    const write = me.Mailbox.create({ name: 'Once' });
    await jmap.sync.settled();
    expect(await write.result).toMatchObject({ ok: true, object: { name: 'Once' } });
    const { list } = await me.Mailbox.get();
    expect(list.map(({ name }) => name).sort()).toEqual(['Inbox', 'Once']);
  });

  it('hears why a write is refused', async () => {
    const { jmap, me } = await connectTo();
    const [inbox] = me.Mailbox.live({ filter: { role: 'inbox' } }).getSnapshot().rows;
    me.Mailbox.destroy(inbox?.$key ?? '');
    await jmap.sync.settled();
    expect(jmap.problems.getSnapshot()).toMatchObject([{ kind: 'destroy', type: 'Mailbox' }]);
    expect(me.Mailbox.live({ filter: { role: 'inbox' } }).getSnapshot().total).toBe(1);
  });
});
