import { it } from 'vitest';
import { longTests } from './example-project.js';

// The guide of test/guide signs users in.
longTests('identity', (example) => {
  it('an item is stored as it was sent', async () => {
    await example().storesUnchanged('Item', { text: 'milk', done: true }, { serverSet: SET });
  });
});

const SET = ['created', 'updated'];
