import { gadgetType } from '../generated/gadget/Gadget.definition.js';
import type { Hooks } from '../generated/gadget/hooks.js';

/** The logic of gadget.yaml, as its team would write it in capabilities/gadget.hooks.ts. */
export const hooks = {
  methods: {
    'Gadget/rebuild': async ({ accountId, id }, _call, tx) => {
      const { updated } = await tx.set(gadgetType, { update: { [id]: { rank: 0, cost: 1 } } });
      return { accountId, rebuilt: Object.hasOwn(updated ?? {}, id) };
    },
  },
} satisfies Hooks;
