import { cardType } from '../generated/names/Card.definition.js';
import type { Hooks } from '../generated/names/hooks.js';

export const hooks: Hooks = {
  types: {
    Card: {
      compute: { lengthOf: (card) => (card['a/b~c'] ?? 0) * 2 },
      inTransaction: async ({ created, updated }, _call, tx) => {
        const cards = [...created, ...updated.map(({ after }) => after)];
        const dropped = cards.filter((card) => card['x-drop'] !== undefined);
        const update = Object.fromEntries(dropped.map(({ id }) => [id, { 'x-drop': null }]));
        if (dropped.length > 0) await tx.set(cardType, { update });
      },
    },
    Bare: { compute: { words: ({ text }) => text?.toUpperCase() } },
  },
};
