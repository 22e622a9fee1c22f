import { setTimeout as wait } from 'node:timers/promises';
import { HookRefusal } from 'jmapsmith/capability';
import { entryType } from '../generated/machines/Entry.definition.js';
import type { Hooks } from '../generated/machines/hooks.js';
import { machineType } from '../generated/machines/Machine.definition.js';

/** Entries, or patches of them, whose "what" has no tilde in front. */
function tidied<Entry extends { readonly what?: string }>(
  entries: Readonly<Record<string, Entry>>,
): Readonly<Record<string, Entry>> {
  return Object.fromEntries(
    Object.entries(entries).map(([key, entry]) => {
      const isUntidy = entry.what?.startsWith('~') === true;
      return [key, isUntidy ? { ...entry, what: entry.what?.slice(1) } : entry];
    }),
  );
}

export const hooks = {
  types: {
    Machine: {
      check(wanted) {
        for (const object of wanted) {
          if (object.after?.title === 'forbidden')
            object.refuse({ type: 'forbidden', description: '"title" may not be that.' });
        }
      },
      compute: {
        slug: ({ title }) => title.toLowerCase().replaceAll(' ', '-'),
      },
      async inTransaction(changes, _call, tx) {
        const create = Object.fromEntries(
          changes.created.map(({ id, title }) => [`e${id}`, { machineId: id, what: title }]),
        );
        if (changes.created.length > 0) await tx.set(entryType, { create });
        if (changes.created.some(({ title }) => title === 'throw')) throw new Error('the secret');
        if (changes.created.some(({ title }) => title === 'slow')) await wait(5000);
      },
      methods: {
        query: {
          before: (args, call) => {
            if (call.arguments.shout !== true) return args;
            return { ...args, filter: { title: 'LOUD' } };
          },
          after: (_response, call) => ({ heard: call.arguments.shout === true }),
        },
      },
    },
    Entry: {
      methods: {
        set: {
          before: (args) => ({
            ...args,
            ...(args.create ? { create: tidied(args.create) } : {}),
            ...(args.update ? { update: tidied(args.update) } : {}),
          }),
        },
      },
    },
  },
  methods: {
    'Machine/rebuild': async ({ accountId, title, mode }, _call, tx) => {
      if (mode === 'refuse') throw new HookRefusal('forbidden', 'Not today.');
      const { created } = await tx.set(machineType, { create: { k: { title, cost: 5 } } });
      if (mode === 'wrong') return { accountId, rebuilt: 1.5 };
      if (mode === 'throw') throw new Error('the secret');
      if (mode === 'slow') await wait(5000);
      return { accountId, rebuilt: Object.keys(created ?? {}).length };
    },
  },
} satisfies Hooks;
