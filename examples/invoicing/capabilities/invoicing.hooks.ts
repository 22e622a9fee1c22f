import { HookRefusal } from 'jmapsmith/capability';
import { companyType } from '../generated/invoicing/Company.definition.js';
import { customerType } from '../generated/invoicing/Customer.definition.js';
import type { Hooks } from '../generated/invoicing/hooks.js';
import { invoiceType } from '../generated/invoicing/Invoice.definition.js';
import { paymentType } from '../generated/invoicing/Payment.definition.js';
import { dayFromNow, totalOf } from '../rules/invoices.js';
import { add, isMore, subtract } from '../rules/money.js';
import { tell } from '../rules/webhook.js';

export const hooks = {
  types: {
    Invoice: {
      compute: {
        total: (invoice) => totalOf(invoice),
        openAmount: ({ status, total, paid }) => (status === 'void' ? '0' : subtract(total, paid)),
      },
      /** A customer with a limit gets no draft that goes beyond it, and is sent none. */
      async check(wanted, _call, reader) {
        const ids = wanted.flatMap(({ after }) => (after === null ? [] : [after.customerId]));
        const found = ids.length === 0 ? [] : await reader.get(customerType, [...new Set(ids)]);
        const customers = new Map(found.map((customer) => [customer.id, customer]));
        const owed = new Map(found.map(({ id, openAmount }) => [id, openAmount]));
        for (const { before, after, refuse } of wanted) {
          const isSent = before?.status === 'draft' && after?.status === 'sent';
          if (after === null || (after.status !== 'draft' && !isSent)) continue;
          const wouldOwe = add(owed.get(after.customerId) ?? '0', totalOf(after));
          // One call may send several invoices.
          if (isSent) owed.set(after.customerId, wouldOwe);
          const { creditLimit = null } = customers.get(after.customerId) ?? {};
          if (creditLimit === null || !isMore(wouldOwe, creditLimit)) continue;
          const description = 'The customer would owe too much.';
          refuse({ type: 'creditLimitExceeded', description, creditLimit, wouldOwe });
        }
      },
      /** Tells the world outside of what was sent, paid or is late: at least once. */
      afterCommit: {
        durable: true,
        timeout: '30s',
        async run({ updated }, { effectId, signal }) {
          for (const { before, after } of updated) {
            const isNew = before.status !== after.status;
            if (!isNew && before.remindedOn === after.remindedOn) continue;
            const { id, number, total, openAmount, dueOn } = after;
            const event = isNew ? after.status : 'reminder';
            await tell(
              { event, id, number, total, openAmount, dueOn },
              `${effectId}-${id}`,
              signal,
            );
          }
        },
      },
    },
  },
  methods: {
    /** All numbers come from one counter in this transaction: a call that fails leaves no gap. */
    'Invoice/send': async ({ accountId, ids }, _call, tx) => {
      const [company] = await tx.get(companyType, null);
      if (company === undefined) throw new Error('A singleton is always there.');
      const drafts = await tx.get(invoiceType, ids);
      const statuses = new Map(drafts.map(({ id, status }) => [id, status]));
      const wrong = ids.find((id) => statuses.get(id) !== 'draft');
      if (wrong !== undefined)
        throw new HookRefusal('invalidArguments', `"ids": ${wrong} is no draft.`);
      const { numberPrefix, daysToPay } = company;
      let { nextNumber } = company;
      const numbers: Record<string, string> = {};
      for (const id of new Set(ids)) numbers[id] = `${numberPrefix}${nextNumber++}`;
      await tx.set(companyType, { update: { singleton: { nextNumber } } });
      const patches = drafts.map(({ id, dueOn }) => {
        const due = dueOn ?? dayFromNow(daysToPay);
        const sentAt = new Date().toJSON();
        return [id, { status: 'sent', number: numbers[id] ?? '', sentAt, dueOn: due }] as const;
      });
      const update = Object.fromEntries(patches);
      const { notUpdated } = await tx.set(invoiceType, { update }, { partial: true });
      const [refused] = Object.entries(notUpdated ?? {});
      if (refused !== undefined)
        throw new HookRefusal(
          'invalidArguments',
          `"ids": ${refused[0]}: ${refused[1].description}`,
        );
      return { accountId, numbers };
    },
    'Invoice/pay': async ({ accountId, id, amount, paidOn = dayFromNow() }, _call, tx) => {
      const [invoice] = await tx.get(invoiceType, [id]);
      if (invoice?.status !== 'sent')
        throw new HookRefusal('invalidArguments', `"id": ${id} is not sent, or it is paid.`);
      const paid = amount ?? invoice.openAmount;
      if (!isMore(paid, '0') || isMore(paid, invoice.openAmount))
        throw new HookRefusal('invalidArguments', `"amount": ${invoice.openAmount} is open.`);
      const create = { payment: { invoiceId: id, amount: paid, paidOn } };
      const { created } = await tx.set(paymentType, { create });
      const openAmount = subtract(invoice.openAmount, paid);
      if (openAmount === '0') await tx.set(invoiceType, { update: { [id]: { status: 'paid' } } });
      return { accountId, paymentId: created?.['payment']?.id ?? '', openAmount };
    },
  },
  jobs: {
    /** Reminds of each late invoice once a week. */
    remind: {
      every: '1d',
      timeout: '5m',
      async run({ accounts, inAccount }) {
        for (const accountId of await accounts())
          await inAccount(accountId, async (tx) => {
            const late = { status: ['sent'], dueBefore: dayFromNow() };
            const isQuiet = [{ wasReminded: false }, { remindedBefore: dayFromNow(-6) }];
            const conditions = [late, { operator: 'OR', conditions: isQuiet }] as const;
            const filter = { operator: 'AND', conditions } as const;
            const ids = await tx.query(invoiceType, { filter, limit: 100 });
            const remindedOn = dayFromNow();
            const update = Object.fromEntries(ids.map((id) => [id, { remindedOn }]));
            if (ids.length > 0) await tx.set(invoiceType, { update });
          });
      },
    },
  },
} satisfies Hooks;
