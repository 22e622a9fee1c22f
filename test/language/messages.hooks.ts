import { boxType } from '../generated/messages/Box.definition.js';
import type { Hooks } from '../generated/messages/hooks.js';
import { messageType } from '../generated/messages/Message.definition.js';
import { threadType } from '../generated/messages/Thread.definition.js';

export const hooks: Hooks = {
  types: {
    Box: { compute: { label: ({ name, unread }) => `${name} (${unread})` } },
    Thread: {
      // A thread of the subject "own" gets a box, and a message in it.
      async inTransaction({ created }, _, tx) {
        for (const { id, subject } of created) {
          if (subject !== 'own') continue;
          const box = await tx.set(boxType, { create: { b: { name: 'own', state: 'made' } } });
          const ownId = box.created?.['b']?.id as string;
          await tx.set(threadType, { update: { [id]: { ownId } } });
          const boxIds = { [ownId]: true } as const;
          const message = { boxIds, threadId: id, size: 3 };
          await tx.set(messageType, { create: { l: message } });
        }
      },
    },
  },
  methods: {
    async 'Message/import'({ accountId, messages }, _, tx) {
      const create = Object.fromEntries(messages.map((message, at) => [`l${at}`, message]));
      const { created } = await tx.set(messageType, { create }, { partial: true });
      return { accountId, made: Object.keys(created ?? {}).length };
    },
  },
};
