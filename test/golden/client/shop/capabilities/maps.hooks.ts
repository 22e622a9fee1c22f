import type { Hooks } from '../generated/maps/hooks.js';

export const hooks: Hooks = {
  methods: {
    'Geo/lookup': () => ({ around: {} }),
    'Geo/refresh': ({ accountId }) => ({ accountId }),
    'Order/locate': ({ accountId }) => ({ accountId, place: 'here' }),
  },
};
