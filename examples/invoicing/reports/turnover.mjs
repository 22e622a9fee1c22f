import { openReportClient } from 'jmapsmith/prisma';
import { PrismaClient } from '../build/server/build/prisma/sqlite/client.js';
import { add } from '../build/server/rules/money.js';

/** Prints what came in each month from each customer, beside running servers. */

const prisma = await openReportClient(PrismaClient);
const payments = await prisma.payment.findMany({
  include: { invoice: { include: { customer: true } } },
  orderBy: { paidOn: 'asc' },
});
const sums = new Map();
for (const { paidOn, amount, invoice } of payments) {
  const row = `${paidOn.slice(0, 7)}  ${invoice.customer.name}`;
  sums.set(row, add(sums.get(row) ?? '0', amount));
}
for (const [row, sum] of sums) process.stdout.write(`${row}  ${sum}\n`);
await prisma.$disconnect();
