import type { Hooks } from '../generated/queries/hooks.js';

export const hooks: Hooks = {
  types: {
    Message: {
      compute: { fromKey: ({ from }) => from[0]?.name ?? from[0]?.email ?? '' },
    },
  },
};
