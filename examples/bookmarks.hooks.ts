import type { Hooks } from '../generated/bookmarks/hooks.js';

export const hooks = {
  types: {
    Bookmark: {
      compute: {
        host: ({ url }) => (URL.canParse(url) ? new URL(url).host.slice(0, 255) : ''),
      },
    },
  },
} satisfies Hooks;
