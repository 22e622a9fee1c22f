import { appendFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { HookRefusal } from 'jmapsmith/capability';
import { bookType } from '../generated/ledger/Book.definition.js';
import type { Hooks } from '../generated/ledger/hooks.js';
import { lineType } from '../generated/ledger/Line.definition.js';
import { postType } from '../generated/ledger/Post.definition.js';

/** Where a test reads what hooks were told. */
const OUT = process.env['LEDGER_OUT'] ?? '/dev/null';

function tell(what: string): void {
  appendFileSync(OUT, `${what}\n`);
}

interface Grouped {
  readonly bookId: string;
  readonly _sum: { readonly amount: bigint | number | null };
}

/** The part of the typed client that this file needs. */
interface Database {
  readonly line: {
    groupBy(query: object): Promise<readonly Grouped[]>;
    count(query: object): Promise<number>;
  };
}

export const hooks = {
  types: {
    Book: {
      check(wanted) {
        tell(`check ${wanted.length}`);
        for (const { after, refuse } of wanted)
          if (after?.title === 'forbidden') refuse({ type: 'forbidden', description: 'No.' });
      },
      compute: {
        slug: ({ title }) => title.toLowerCase().replaceAll(' ', '-'),
        heading: ({ slug, lines }) => `${slug} (${lines})`,
        vault: ({ title }) => `vault of ${title}`,
      },
      computeOn: {
        // The Prisma client sees what the same transaction has not committed yet.
        async total({ Line }, { accountId }, { prisma }) {
          const moved = [
            ...(Line?.created ?? []),
            ...(Line?.destroyed ?? []),
            ...(Line?.updated ?? []).flatMap(({ before, after }) => [before, after]),
          ];
          const ids = [...new Set(moved.map(({ bookId }) => bookId))];
          const groups = await prisma.line.groupBy({
            by: ['bookId'],
            where: { accountId, bookId: { in: ids } },
            _sum: { amount: true },
          });
          const totals = new Map(ids.map((id) => [id, 0]));
          for (const { bookId, _sum } of groups) totals.set(bookId, Number(_sum.amount ?? 0));
          return totals;
        },
      },
      async inTransaction({ created, updated, destroyed }, _call, tx) {
        tell(`inTransaction ${created.length} ${updated.length} ${destroyed.length}`);
        await wait(1);
        const what = `+${created.length} ~${updated.length} -${destroyed.length}`;
        await tx.set(postType, { create: { p: { what } } });
        const titles = created.map(({ title }) => title);
        if (titles.includes('throw')) throw new Error('the cause is for the log');
        if (titles.includes('reject')) return Promise.reject(undefined);
      },
      afterCommit({ created, updated, destroyed }) {
        if (created.some(({ title }) => title === 'crash')) {
          tell('crash');
          process.kill(process.pid, 'SIGKILL');
        }
        tell(`afterCommit ${created.length} ${updated.length} ${destroyed.length}`);
        if (created.some(({ title }) => title === 'after')) throw new Error('outside is down');
      },
      methods: {
        set: { after: (_response, { arguments: { greet } }) => (greet ? { greeting: greet } : {}) },
      },
    },
    Line: {
      afterCommit({ destroyed }) {
        if (destroyed.length > 0) tell(`lines destroyed ${destroyed.length}`);
      },
    },
    Shelf: {
      check(wanted) {
        for (const { before, after, refuse } of wanted)
          if (after === null && before?.name === 'bottom')
            refuse({ type: 'example.com:holdsAll', description: 'Everything stands on it.' });
      },
      compute: {
        key: ({ name }) => `key of ${name}`,
        tag: ({ name }) => (name.startsWith('tag ') ? name.slice(0, 7) : null),
      },
    },
  },
  methods: {
    'Ledger/run': async ({ accountId, mode }, { signal }, tx) => {
      if (mode.startsWith('refused')) {
        const create = { good: { what: mode }, bad: { what: 'x'.repeat(201) } };
        const request = { create, update: { nobody: {} }, destroy: ['nothing'] };
        const written = tx.set(postType, request, { partial: mode === 'refused, partial' });
        if (mode === 'refused, caught') await written.catch(() => undefined);
        else if (mode === 'refused, said')
          await written.catch((error: Error) => {
            throw new HookRefusal('forbidden', error.name);
          });
        else await written;
        return { accountId, seen: Object.keys((await written).notCreated ?? {}).length };
      }
      const { created } = await tx.set(bookType, {
        create: { b: { title: mode, markup: 987654321, pin: 'pin-of-hooks' } },
      });
      const bookId = created?.['b']?.id ?? '';
      await tx.set(lineType, { create: { e: { bookId, amount: 1, memo: 'hidden-memo' } } });
      const { prisma } = tx;
      if (mode === 'late') {
        signal.addEventListener('abort', () => tell('aborted'));
        await wait(3000);
        const why = (error: Error): void => tell(`late ${error.message}`);
        await tx.set(bookType, { create: { b: { title: 'late' } } }).then(() => tell('set'), why);
        await tx.get(bookType, null).then(() => tell('got'), why);
        await prisma.line.count({ where: { accountId } }).then(() => tell('counted'), why);
      }
      const [book] = await tx.get(bookType, [bookId]);
      if (book?.markup !== 987654321 || book.lines !== 1) throw new Error('not as written');
      return { accountId, seen: await prisma.line.count({ where: { accountId, bookId } }) };
    },
    'Ledger/look': async ({ accountId, wait: waits }, _call, tx) => {
      const books = await tx.get(bookType, null);
      if (waits === true) await wait(700);
      return { accountId, books: books.length };
    },
  },
} satisfies Hooks<Database>;
