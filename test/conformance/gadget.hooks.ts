import { gadgetType } from '../generated/gadget/Gadget.definition.js';
import type { Hooks } from '../generated/gadget/hooks.js';

/** The logic of gadget.yaml, as its team would write it in capabilities/gadget.hooks.ts. */
export const hooks = {
  methods: {
    'Gadget/rebuild': async ({ accountId, id }, _call, tx) => {
      const update = { [id]: { rank: 0, cost: 1 } };
      // The answer says whether there is such a gadget.
      const { updated } = await tx.set(gadgetType, { update }, { partial: true });
      return { accountId, rebuilt: Object.hasOwn(updated ?? {}, id) };
    },
  },
} satisfies Hooks;
