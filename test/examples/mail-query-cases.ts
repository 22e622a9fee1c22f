import { beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from './calls.js';
import type { Example } from './example-project.js';
import { type Import, mailOf, message } from './mail-messages.js';

/** Messages by name, as tests of queries import them. */
const FOUND: Readonly<Record<string, { text: string } & Omit<Import, 'mailboxIds'>>> = {
  a: {
    text: message(
      {
        'Message-ID': '<a@example.com>',
        From: 'Zoë <zoe@example.com>',
        To: 'Ann <ann@example.com>',
        Cc: 'cc@example.com',
        Subject: 'The Foosball competition',
        'X-Kind': '=?utf-8?q?Gr=C3=BC=C3=9Fe?=',
      },
      'This year the foosball competition will be held in the Stadium de <Paris>',
    ),
    keywords: { $seen: true, $flagged: true },
    receivedAt: '2026-01-01T00:00:00Z',
  },
  b: {
    text: message(
      {
        'Message-ID': '<b@example.com>',
        'In-Reply-To': '<a@example.com>',
        From: 'bob@example.com',
        To: 'zoe@example.com',
        Bcc: 'secret@example.com',
        Subject: 'Re: The Foosball  competition',
      },
      'Held it will be',
    ),
    receivedAt: '2026-01-03T00:00:00Z',
  },
  c: {
    text: message({ From: 'Ann <ann@example.com>', Subject: 'Other' }, 'x'.repeat(2000)),
    keywords: { $seen: true },
    receivedAt: '2026-01-02T00:00:00Z',
  },
};

/** Tests Email/query and what stands on it, on whatever database serves it. */
export function queryCases(example: () => Example): void {
  const { call, mailbox, add } = mailOf(example);

  describe('queries', () => {
    let box: string;
    const named = new Map<string, string>();
    const idOf = (name: string): string =>
      [...named].find(([, each]) => each === name)?.[0] ?? name;
    beforeAll(async () => {
      box = await mailbox('Queries');
      for (const [name, { text, ...more }] of Object.entries(FOUND))
        named.set((await add(text, { mailboxIds: { [box]: true }, ...more })).id, name);
    });
    const find = async (filter: object | null, more: object = {}): Promise<string> => {
      const here = { inMailbox: box };
      const both = { operator: 'AND', conditions: [here, filter] };
      const query = { filter: filter === null ? here : both, ...more };
      return (await example().ids('Email', query)).map((id) => named.get(id) ?? id).join('');
    };
    const byDate = { sort: [{ property: 'receivedAt' }] };

    it.each([
      [{ before: '2026-01-02T00:00:00Z' }, 'a'],
      [{ after: '2026-01-02T00:00:00Z' }, 'cb'],
      [{ minSize: 1000 }, 'c'],
      [{ maxSize: 1000 }, 'ab'],
      [{ inMailboxOtherThan: [] }, 'acb'],
      [{ hasKeyword: '$FLAGGED' }, 'a'],
      [{ notKeyword: '$seen' }, 'b'],
      [{ allInThreadHaveKeyword: '$seen' }, 'c'],
      [{ someInThreadHaveKeyword: '$seen' }, 'acb'],
      [{ noneInThreadHaveKeyword: '$flagged' }, 'c'],
      [{ hasAttachment: true }, ''],
      [{ text: 'STADIUM' }, 'a'],
      [{ text: 'competition will' }, 'ab'],
      [{ text: '"competition will"' }, 'a'],
      [{ body: "'will be held'" }, 'a'],
      [{ from: 'zoë' }, 'a'],
      [{ to: 'zoe' }, 'b'],
      [{ cc: 'cc@' }, 'a'],
      [{ bcc: 'secret' }, 'b'],
      [{ subject: 'foosball' }, 'ab'],
      [{ header: ['X-KIND'] }, 'a'],
      [{ header: ['x-kind', 'GRÜß'] }, 'a'],
      [{ header: ['x-kind', 'nothing'] }, ''],
      [{ operator: 'NOT', conditions: [{ header: ['In-Reply-To', 'a@'] }] }, 'ac'],
    ])('the condition %j finds %s', async (filter, found) => {
      expect(await find(filter, byDate)).toBe(found);
    });

    it.each([
      [{ property: 'size' }, 'bac'],
      [{ property: 'from' }, 'cba'],
      [{ property: 'to' }, 'cab'],
      [{ property: 'subject' }, 'cab'],
      [{ property: 'receivedAt', isAscending: false }, 'bca'],
      [{ property: 'hasKeyword', keyword: '$flagged', isAscending: false }, 'acb'],
      [{ property: 'allInThreadHaveKeyword', keyword: '$seen' }, 'abc'],
      [{ property: 'someInThreadHaveKeyword', keyword: '$flagged' }, 'cab'],
    ])('the sort %j gives %s', async (comparator, found) => {
      expect(await find(null, { sort: [comparator, { property: 'receivedAt' }] })).toBe(found);
    });

    it('RFC 8621 4.4.3: shows the newest of a thread, and a thread the oldest first', async () => {
      const sort = [{ property: 'receivedAt', isAscending: false }];
      expect(await find(null, { sort, collapseThreads: true })).toBe('bc');
      const { accountId, client } = example();
      const behind = (name: string, path: string, at: number) => ({
        '#ids': { resultOf: String(at), name, path },
        accountId,
      });
      const query = { accountId, filter: { inMailbox: box }, sort, collapseThreads: true };
      const { methodResponses } = (await client.api([
        ['Email/query', { ...query, calculateTotal: true }, '0'],
        ['Email/get', { ...behind('Email/query', '/ids', 0), properties: ['threadId'] }, '1'],
        ['Thread/get', behind('Email/get', '/list/*/threadId', 1), '2'],
      ])) as Answer;
      expect(methodResponses[0][1]).toMatchObject({ total: 2, canCalculateChanges: true });
      const threads = methodResponses[2][1].list.map(({ emailIds }: Answer) =>
        emailIds.map((id: string) => named.get(id)).join(''),
      );
      expect(threads).toEqual(['ab', 'c']);
      const { queryState } = methodResponses[0][1];
      await example().update('Email', idOf('c'), { keywords: {} });
      const changes = await call('Email/queryChanges', { ...query, sinceQueryState: queryState });
      const id = idOf('c');
      expect(changes).toMatchObject({ added: [{ id, index: 1 }], removed: [id] });
    });

    it('RFC 8621 5: marks the words that a filter found', async () => {
      const { list, notFound } = await call('SearchSnippet/get', {
        filter: { operator: 'OR', conditions: [{ text: 'foo' }, { body: 'paris' }] },
        emailIds: [idOf('c'), idOf('a'), 'nobody'],
      });
      expect(notFound).toEqual(['nobody']);
      expect(list).toEqual(
        expect.arrayContaining([
          { emailId: idOf('c'), subject: null, preview: null },
          {
            emailId: idOf('a'),
            subject: 'The <mark>Foo</mark>sball competition',
            preview:
              'This year the <mark>foo</mark>sball competition will be held in the Stadium de ' +
              '&lt;<mark>Paris</mark>&gt;',
          },
        ]),
      );
    });
  });
}
