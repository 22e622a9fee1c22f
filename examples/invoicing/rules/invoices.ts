import type { InvoiceStored } from '../generated/invoicing/Invoice.definition.js';
import { add, multiply } from './money.js';

/** Returns what an invoice comes to, with VAT: each line in whole cents. */
export function totalOf({ lines }: Pick<InvoiceStored, 'lines'>): string {
  const amounts = lines.map(({ quantity, price, vat }) =>
    multiply(quantity, price, add('1', multiply(String(vat), '0.01'))),
  );
  return add(...amounts);
}

/** Returns today's date in UTC, or that of so many days later. */
export function dayFromNow(days = 0): string {
  return new Date(Date.now() + days * 86_400_000).toJSON().slice(0, 10);
}
