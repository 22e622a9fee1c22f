import { expect, it } from 'vitest';
import { runProgram } from '../dev/rig.js';
import { useExample } from './example-project.js';
import { invoicingCases } from './invoicing-cases.js';

// invoicing.long.test.ts is for PostgreSQL. The fast tier has examples/tasks.
const example = useExample('invoicing');
invoicingCases(example);

it('the report adds what came in, beside the server', async () => {
  const { root, server } = example();
  const env = { DATABASE_URL: server.env['DATABASE_URL'] ?? '' };
  const report = await runProgram(root, ['reports/turnover.mjs'], env);
  expect(report).toEqual({ code: 0, stderr: '', stdout: '2026-03  Bob  4.48\n' });
});
