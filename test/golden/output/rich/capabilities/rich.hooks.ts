import type { Hooks } from '../generated/rich/hooks.js';

export const hooks: Hooks = {
  methods: {
    'Gadget/rebuild': ({ accountId }) => ({ accountId, rebuilt: true }),
  },
};
