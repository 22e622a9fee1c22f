import type { Hooks } from '../generated/shop/hooks.js';

export const hooks: Hooks = {
  types: {
    Product: { answer: (objects) => objects.map(({ name, code }) => ({ label: `${name} ${code}` })) },
    Order: { methods: { query: { after: () => ({ slow: false }) } } },
  },
  methods: {
    'Order/send': ({ accountId, ids }) => ({ accountId, sent: ids }),
  },
};
