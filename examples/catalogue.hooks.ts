import type { Hooks } from '../generated/catalogue/hooks.js';

export const hooks = {
  types: {
    Product: {
      compute: {
        slug: ({ name, sku }) =>
          `${name}-${sku}`
            .toLowerCase()
            .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
            .slice(0, 320),
      },
    },
  },
} satisfies Hooks;
