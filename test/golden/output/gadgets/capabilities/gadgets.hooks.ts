import type { Hooks } from '../generated/gadgets/hooks.js';

export const hooks: Hooks = {
  methods: {
    'Gadget/rebuild': ({ accountId }) => ({ accountId, rebuilt: true }),
  },
};
