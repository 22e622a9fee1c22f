import { expect, it, onTestFinished } from 'vitest';
import { makeRandomCalls, stockProject } from './quota-random.js';
import { serveQuotas } from './quota-rig.js';

it('quotas stay exact through random calls, hooks, cascades, copies and refusals', async () => {
  const project = await stockProject();
  onTestFinished(() => project.remove());
  const rig = await serveQuotas(project.root);
  onTestFinished(() => rig.served.close());
  await makeRandomCalls(rig, 200, 1);
  expect((await rig.quota('items')).used).toBe((await rig.call('Item/query')).ids.length);
});
