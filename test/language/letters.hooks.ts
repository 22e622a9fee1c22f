import { boxType } from '../generated/letters/Box.definition.js';
import type { Hooks } from '../generated/letters/hooks.js';
import { letterType } from '../generated/letters/Letter.definition.js';
import { threadType } from '../generated/letters/Thread.definition.js';

export const hooks: Hooks = {
  types: {
    Box: { compute: { label: ({ name, unread }) => `${name} (${unread})` } },
    Thread: {
      // A thread of the subject "own" gets a box, and a letter in it.
      async inTransaction({ created }, _, tx) {
        for (const { id, subject } of created) {
          if (subject !== 'own') continue;
          const box = await tx.set(boxType, { create: { b: { name: 'own', state: 'made' } } });
          const ownId = box.created?.['b']?.id as string;
          await tx.set(threadType, { update: { [id]: { ownId } } });
          const letter = { boxIds: { [ownId]: true }, threadId: id, size: 3 };
          await tx.set(letterType, { create: { l: letter } });
        }
      },
    },
  },
  methods: {
    async 'Letter/import'({ accountId, letters }, _, tx) {
      const create = Object.fromEntries(letters.map((letter, at) => [`l${at}`, letter]));
      const { created } = await tx.set(letterType, { create }, { partial: true });
      return { accountId, made: Object.keys(created ?? {}).length };
    },
  },
};
