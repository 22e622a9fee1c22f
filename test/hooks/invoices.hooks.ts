import type { JsonObject } from 'jmapsmith/capability';
import type { Hooks } from '../generated/invoices/hooks.js';
import { invoiceType } from '../generated/invoices/Invoice.definition.js';

export const hooks = {
  types: {
    Customer: {
      /** Asked before it is judged whether invoices refer to the customer. */
      check(wanted) {
        for (const { before, after, refuse } of wanted)
          if (after === null && before?.name === 'the state')
            refuse({ type: 'forbidden', description: 'The state is for ever.' });
      },
    },
    Invoice: {
      check(wanted) {
        for (const { after, refuse } of wanted) {
          if (after?.note === 'too many')
            refuse({ type: 'tooManyOpen', description: 'There are 7 drafts.', open: 7 });
          if (after?.note === 'no scan')
            refuse({ type: 'blobNotFound', description: 'It is gone.', notFound: ['b1'] });
          if (after?.note === 'wrong member')
            refuse({ type: 'tooManyOpen', description: 'There are many.', open: 'many' } as never);
          if (after?.note === 'wrong name')
            refuse({ type: 'tooManyOpn', description: 'There are many.' } as never);
        }
      },
    },
  },
  methods: {
    'Invoice/force': async ({ accountId, id, patch, isDestroyed }, _call, tx) => {
      const request =
        isDestroyed === true ? { destroy: [id] } : { update: { [id]: patch as JsonObject } };
      const answer = await tx.set(invoiceType, request, { partial: true });
      const refused = answer.notUpdated?.[id] ?? answer.notDestroyed?.[id];
      return { accountId, ...(refused === undefined ? {} : { refused: { ...refused } }) };
    },
  },
} satisfies Hooks;
