import type { Hooks } from '../generated/names/hooks.js';

export const hooks: Hooks = {
  types: {
    Card: { compute: { lengthOf: (card) => (card['a/b~c'] ?? 0) * 2 } },
    Bare: { compute: { words: ({ text }) => text?.toUpperCase() } },
  },
};
